import { expect, test } from 'vitest';
import type { Dispatcher } from '../fleet/dispatcher.ts';
import { crashWhileLeasing, type Scene } from './crash.ts';

/** A dispatcher that settles what it holds right after each look at it, unless it is frozen or dead, and then takes the next record. */
function quickDispatcher(settlementsOnTheirWay: number): { dispatcher: Dispatcher; leased: () => number } {
  let condition: 'running' | 'frozen' | 'dead' = 'running';
  let held = 1;
  let underway = settlementsOnTheirWay;
  const dispatcher: Dispatcher = {
    name: 'older #1',
    build: 'older',
    id: () => Promise.resolve('quick'),
    freeze: () => {
      condition = 'frozen';
    },
    thaw: () => {
      condition = 'running';
      held = 1;
    },
    crash: () => {
      if (condition === 'running') held = 0;
      condition = 'dead';
      return Promise.resolve();
    },
    drain: () => undefined,
    state: () => 'running',
  };
  const leased = (): number => {
    const seen = held;
    if (underway > 0) {
      underway -= 1;
      held = 0;
    }
    return seen;
  };
  return { dispatcher, leased };
}

test.each([0, 1, 3])(
  'W15: the demo catches a quick dispatcher with leases, %i settlements being on their way',
  async (underway) => {
    const { dispatcher, leased } = quickDispatcher(underway);
    const scene: Scene = {
      observer: { leasedBy: () => Promise.resolve(leased()) },
      fleet: { launch: () => Promise.reject(new Error('there is no traffic left for a successor')) },
      signal: new AbortController().signal,
    };

    const crash = await crashWhileLeasing(scene, dispatcher);

    expect(crash).toEqual({ dispatcher, held: 1 });
  },
);
