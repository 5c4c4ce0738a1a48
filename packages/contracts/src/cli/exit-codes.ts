import type { Verdict } from '../vocabulary.ts';

/** How `waybill-contracts` ends. Nothing that could not run looks like success. */
export const EXIT_CODES: {
  readonly allowed: 0;
  readonly newVersion: 1;
  readonly cannotProve: 2;
  readonly couldNotRun: 3;
} = {
  /** Allowed, or nothing to complain about. */
  allowed: 0,
  /** A new version, a changeset or another correction is needed. */
  newVersion: 1,
  /** Nothing was proved either way. */
  cannotProve: 2,
  /** Wrong usage, unreadable input, a missing base: no answer was found. */
  couldNotRun: 3,
};
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** The exit code for each verdict. */
export const VERDICT_EXIT_CODES: Readonly<Record<Verdict, ExitCode>> = {
  'same-version': EXIT_CODES.allowed,
  'new-version': EXIT_CODES.newVersion,
  'cannot-prove': EXIT_CODES.cannotProve,
};

/** The worst of several: could not run, then new version, then cannot prove. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  for (const code of [EXIT_CODES.couldNotRun, EXIT_CODES.newVersion, EXIT_CODES.cannotProve])
    if (codes.includes(code)) return code;
  return EXIT_CODES.allowed;
}
