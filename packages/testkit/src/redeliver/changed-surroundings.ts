/** What a second delivery sees differently, although the message is the same. */
export interface Surroundings {
  /** How far the clock of the process is ahead, in milliseconds. */
  readonly clockShiftMs: number;
  /** Start of the sequence that `Math.random` gives; an integer. */
  readonly seed: number;
}

/** Runs `work` with another clock and other random numbers, in the whole process: nothing else should run meanwhile. */
export async function withSurroundings<T>({ clockShiftMs, seed }: Surroundings, work: () => Promise<T>): Promise<T> {
  const RealDate = globalThis.Date;
  const realRandom = Math.random;
  globalThis.Date = shiftedDate(RealDate, clockShiftMs);
  Math.random = mulberry32(seed);
  try {
    return await work();
  } finally {
    globalThis.Date = RealDate;
    Math.random = realRandom;
  }
}

function shiftedDate(RealDate: DateConstructor, shiftMs: number): DateConstructor {
  const now = (): number => RealDate.now() + shiftMs;
  // A proxy, so that instances stay what drivers and assertions know as dates.
  return new Proxy(RealDate, {
    construct: (target, given: readonly unknown[], newTarget: DateConstructor) =>
      // Reflect.construct is untyped; what it makes from Date is a Date.
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, property, receiver) =>
      property === 'now' ? now : (Reflect.get(target, property, receiver) as unknown),
  });
}

/** Mulberry32, a small generator whose numbers are the same for the same seed. */
function mulberry32(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
