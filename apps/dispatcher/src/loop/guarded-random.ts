/** Randomness only spreads load; a source that throws or leaves its range must not end the loop or turn a delay into nonsense. */
export function guardedRandom(random: () => number): () => number {
  return () => {
    try {
      const value = random();
      return value >= 0 && value < 1 ? value : 0.5;
    } catch {
      return 0.5;
    }
  };
}
