import { type Comparison, compareSchemas } from '../compat/compare.ts';
import { checkedSchema } from '../compat/load-schema.ts';
import { ContractError } from '../contract-error.ts';
import { describeComparison } from './describe-comparison.ts';
import { EXIT_CODES, type ExitCode, VERDICT_EXIT_CODES, worstOf } from './exit-codes.ts';
import { parseJsonText, readJsonFile, readTextFile } from './read-json-file.ts';
import { type OutputOptions, type Terminal, wantsJson } from './terminal.ts';

/** Options of the command. */
export interface CompareOptions extends OutputOptions {
  readonly pairs?: string;
}

/** `compare OLD.json NEW.json`, or many pairs with `--pairs FILE.jsonl`: a line in, a line out. */
export async function compareCommand(
  terminal: Terminal,
  files: readonly string[],
  options: CompareOptions,
): Promise<ExitCode> {
  const [before, after] = files;
  if (options.pairs !== undefined && files.length === 0) return comparePairs(terminal, options.pairs);
  if (options.pairs !== undefined || before === undefined || after === undefined || files.length > 2)
    throw new ContractError('CTR_INPUT_UNREADABLE', 'compare needs either two schema files or --pairs FILE.jsonl');
  const comparison = compareSchemas(await schemaIn(before, terminal), await schemaIn(after, terminal));
  if (wantsJson(options)) terminal.print(JSON.stringify(comparison));
  else for (const line of describeComparison(comparison)) terminal.print(line);
  return VERDICT_EXIT_CODES[comparison.verdict];
}

async function schemaIn(file: string, terminal: Terminal) {
  const value = await readJsonFile(file, terminal.directory);
  return named(file, () => checkedSchema(value));
}

async function comparePairs(terminal: Terminal, file: string): Promise<ExitCode> {
  const lines = (await readTextFile(file, terminal.directory)).split('\n');
  const codes: ExitCode[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const answer = comparePair(line, `${file}:${index + 1}`);
    terminal.print(JSON.stringify(answer));
    codes.push('error' in answer ? EXIT_CODES.couldNotRun : VERDICT_EXIT_CODES[answer.verdict]);
  }
  // No answer must not look like a good one.
  if (codes.length === 0) throw new ContractError('CTR_INPUT_UNREADABLE', `${file}: holds no pairs`);
  return worstOf(codes);
}

/** One bad line must not hide the answers to the others. */
function comparePair(
  line: string,
  place: string,
): ({ readonly id: unknown } & Comparison) | { readonly id: unknown; readonly error: string } {
  let id: unknown = null;
  try {
    const pair = parseJsonText(line, place);
    if (typeof pair !== 'object' || pair === null || !('before' in pair) || !('after' in pair))
      throw new ContractError('CTR_INPUT_UNREADABLE', `${place}: a line is { id, before, after }`);
    id = 'id' in pair ? pair.id : null;
    const { before, after } = pair;
    return {
      id,
      ...compareSchemas(
        named(`${place} before`, () => checkedSchema(before)),
        named(`${place} after`, () => checkedSchema(after)),
      ),
    };
  } catch (error) {
    if (error instanceof ContractError) return { id, error: error.message };
    throw error;
  }
}

/** Says which input a problem is in. */
function named<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ContractError)
      throw new ContractError(error.code, `${name}: ${error.message}`, [], { cause: error });
    throw error;
  }
}
