import { parseArgs } from 'node:util';

export interface Arguments {
  /** An existing JSON report of Vitest, instead of a run of the tests. */
  readonly report: string | undefined;
  /** Where to write the evidence. */
  readonly evidence: string | undefined;
  /** The name of the build in the evidence. */
  readonly build: string | undefined;
  /** Add the newly reached ids to the list. */
  readonly reach: boolean;
  /** Break the code on purpose, for these ids (all when empty), instead of scoring. */
  readonly mutate: readonly string[] | undefined;
}

export const USAGE = `usage: pnpm conformance [--report FILE] [--evidence FILE] [--build NAME] [--reach]
       pnpm conformance --mutate [ID...]`;

/** Throws a TypeError on an unknown option. */
export function parseArguments(argv: readonly string[]): Arguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      report: { type: 'string' },
      evidence: { type: 'string' },
      build: { type: 'string' },
      reach: { type: 'boolean', default: false },
      mutate: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 0 && !values.mutate) throw new TypeError(`unexpected argument: ${positionals.join(' ')}`);
  const { report, evidence, build, reach } = values;
  return { report, evidence, build, reach, mutate: values.mutate ? positionals : undefined };
}
