import { classifyStoreError } from '@waybill/store';
import { CommanderError } from 'commander';
import { withoutSecrets } from '../log/redaction.ts';
import { EXIT, type ExitCode } from './exit-code.ts';

/** What a command that failed tells: the exit code, a stable code and one sentence for each problem. */
export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly problems: readonly string[];
}

/** Codes of our own errors that do not mean "failed". Errors are told apart by code: a configuration may bring another copy of a class. */
const EXIT_OF_CODE: Readonly<Record<string, ExitCode>> = {
  DSP_CONFIG_FILE: EXIT.usage,
  DSP_CONFIG_INVALID: EXIT.usage,
  DSP_ROUTES_INVALID: EXIT.usage,
  CTR_PACKAGES_INVALID: EXIT.usage,
  CTR_DEFINITION_INVALID: EXIT.usage,
  STO_INVALID_OPTION: EXIT.usage,
  STO_SCHEMA_AHEAD: EXIT.drift,
  STO_SCHEMA_NOT_READY: EXIT.drift,
  DSP_SCHEMA_NOT_READY: EXIT.drift,
  STO_POSITIONS_BROKEN: EXIT.drift,
  STO_MIGRATION_BLOCKED: EXIT.tryAgain,
  DSP_HEALTH_UNREACHABLE: EXIT.unavailable,
};

/** Says how a command ended that threw. Pure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError) {
    // Help that was asked for is no failure; help that was shown for want of a command is.
    return { exitCode: error.exitCode === 0 ? EXIT.ok : EXIT.usage, code: 'DSP_USAGE', problems: [error.message] };
  }
  const code = codeOf(error);
  const known = code === undefined ? undefined : EXIT_OF_CODE[code];
  if (code !== undefined && known !== undefined) return { exitCode: known, code, problems: problemsOf(error) };
  if (lacksRights(error)) return { exitCode: EXIT.refused, code: 'DSP_NO_RIGHTS', problems: problemsOf(error) };
  switch (classifyStoreError(error)) {
    case 'unavailable':
      return {
        exitCode: EXIT.unavailable,
        code: 'DSP_STORE_UNAVAILABLE',
        problems: [`the store cannot be used: ${reasonOf(error)}`],
      };
    case 'transient':
      return { exitCode: EXIT.tryAgain, code: 'DSP_STORE_BUSY', problems: [`the store is busy: ${reasonOf(error)}`] };
    case 'fatal':
      return { exitCode: EXIT.failed, code: code ?? 'DSP_FAILED', problems: problemsOf(error) };
  }
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html: insufficient_privilege
const NO_RIGHTS = '42501';

/** For a dispatcher that starts before the grants this is an outage; whoever types a command is told at once whom to ask. */
function lacksRights(error: unknown): boolean {
  return (
    codeOf(error) === NO_RIGHTS || (error instanceof Error && error.cause !== undefined && lacksRights(error.cause))
  );
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

function problemsOf(error: unknown): readonly string[] {
  const listed =
    error instanceof Error && 'problems' in error && Array.isArray(error.problems) ? error.problems.map(String) : [];
  return (listed.length > 0 ? listed : [reasonOf(error)]).map(withoutSecrets);
}

/** The message of an error and of what caused it. Node leaves the message of a refused connection to several addresses empty. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.message || codeOf(error) || error.name;
  return withoutSecrets(error.cause === undefined ? own : `${own}: ${reasonOf(error.cause)}`);
}
