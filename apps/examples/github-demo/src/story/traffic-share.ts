import type { Arrival } from '../input/traffic.ts';

/** Deals the planned traffic out to the chapters of the story, in order. */
export interface TrafficShares {
  /** The next arrivals, as many as this share of all of them. */
  take(share: number): readonly Arrival[];
  /** Whatever is left. */
  rest(): readonly Arrival[];
}

export function dealOut(arrivals: readonly Arrival[]): TrafficShares {
  let dealt = 0;
  const next = (howMany: number): readonly Arrival[] => {
    const hand = arrivals.slice(dealt, dealt + howMany);
    dealt += hand.length;
    return hand;
  };
  return {
    take: (share) => next(Math.round(arrivals.length * share)),
    rest: () => next(arrivals.length),
  };
}
