/** When the records of a version will be gone at the pace of the last minute. */
export interface Forecast {
  readonly type: string;
  readonly version: number;
  readonly pending: number;
  readonly perSecond: number;
  /** Null: nothing can be said, since none was delivered lately, or not all were counted. */
  readonly drainedInSeconds: number | null;
}

export function forecast(
  { type, version, pending, capped }: Pick<Forecast, 'type' | 'version' | 'pending'> & { readonly capped: boolean },
  perSecond: number,
): Forecast {
  const drainedInSeconds = capped || perSecond === 0 ? null : Math.ceil(pending / perSecond);
  return { type, version, pending, perSecond, drainedInSeconds };
}
