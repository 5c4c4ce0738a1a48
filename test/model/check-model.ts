/** Runs the model checker: the model becomes a C program, and the program visits every state. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MODEL = fileURLToPath(new URL('key-order.pml', import.meta.url));
/** Far deeper than any run of the model that has been seen (some 500 steps): reached, it would mean that the search was cut. */
const DEPTH = 100_000;

/** What a search found. */
export interface Verdict {
  readonly errors: number;
  /** Whether every state was visited. A search stops at its first error. */
  readonly exhaustive: boolean;
  readonly states: number;
  /** All that the program printed, for people. */
  readonly report: string;
}

/** The constants of a model, by name. */
export type Defines = Readonly<Record<string, number>>;

/** Searches the model of one key with these constants in place of its own. */
export async function checkModel(spin: string, defines: Defines): Promise<Verdict> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-model-'));
  try {
    const flags = Object.entries(defines).map(([name, value]) => `-D${name}=${String(value)}`);
    await run(spin, ['-a', ...flags, MODEL], { cwd: directory });
    // Generated code is not ours to warn about. Safety alone: assertions and end states, without cycles.
    await run('gcc', ['-O2', '-w', '-DSAFETY', '-DCOLLAPSE', '-o', 'pan', 'pan.c'], { cwd: directory });
    const { stdout } = await run(join(directory, 'pan'), [`-m${String(DEPTH)}`], { cwd: directory });
    return readReport(stdout);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Reads what the program prints at its end. */
export function readReport(report: string): Verdict {
  const errors = /errors: (\d+)/.exec(report)?.[1];
  const states = /(\d+) states, stored/.exec(report)?.[1];
  if (errors === undefined || states === undefined) throw new TypeError(`the search did not end:\n${report}`);
  const cut = /max search depth too small|Search not completed|out of memory/i.test(report);
  return { errors: Number(errors), exhaustive: !cut, states: Number(states), report };
}
