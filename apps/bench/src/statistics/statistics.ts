/** Pure arithmetic of measurements. */

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value below which `share` of the values lie, interpolated between neighbours. NaN of nothing. */
export function percentile(values: ArrayLike<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** How far apart rounds of the same thing were: (largest - smallest) / median. */
export function spread(values: readonly number[]): number {
  return (Math.max(...values) - Math.min(...values)) / median(values);
}

/**
 * The ratio of two things that were measured in turns (A B A B): the median of the rounds' ratios, so that a slow minute of the machine,
 * which slows both sides of a round, cancels out.
 */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length) throw new RangeError('rounds of two contenders come in pairs');
  return median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)));
}
