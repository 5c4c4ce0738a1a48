/** Every exit code of `waybill`. Scripts and orchestrators rely on them: a released one keeps its meaning. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** A wrong command line or configuration. */
  usage: 2,
  notFound: 3,
  refused: 4,
  /** The database is not what this version expects. */
  drift: 5,
  /** The store cannot be reached. */
  unavailable: 69,
  tryAgain: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
