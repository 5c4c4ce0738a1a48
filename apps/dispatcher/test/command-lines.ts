import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));

/** A command of a page. */
export interface CommandLine {
  readonly environment: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  /** What the page promises: the exit code, and a word of the answer. */
  readonly promise: { readonly code: number; readonly word: string } | null;
}

/** A line of a page that is no command: something that happens meanwhile. */
export interface Event {
  readonly event: string;
}

/** The part of a page under a heading, without the heading. */
export async function sectionOf(page: string, heading: string): Promise<string> {
  const text = await readFile(`${DOCS}${page}`, 'utf8');
  const [, rest] = text.split(`${heading}\n`);
  if (rest === undefined) throw new Error(`${page} has no "${heading}"`);
  const level = heading.slice(0, heading.indexOf(' '));
  return rest.split(new RegExp(`^#{2,${String(level.length)}} `, 'm'))[0] ?? '';
}

/** The blocks of a language in a text, in order. */
export function blocksOf(text: string, language: 'sh' | 'sql'): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) =>
    block.trim(),
  );
}

/** The same of a page. */
export async function blocks(page: string, language: 'sh' | 'sql'): Promise<readonly string[]> {
  return blocksOf(await readFile(`${DOCS}${page}`, 'utf8'), language);
}

/** What stands in the shell blocks of a text, in order, with `$VARIABLES` as they are. */
export function linesOf(text: string): readonly (CommandLine | Event)[] {
  const lines = blocksOf(text, 'sh').flatMap((block) => block.split('\n'));
  return lines.map((line) => (line.startsWith('# ') ? { event: line.slice(2) } : commandOf(line)));
}

/** The command lines of a page, with its variables filled in. */
export async function commandLines(
  page: string,
  variables: Readonly<Record<string, string>>,
): Promise<readonly CommandLine[]> {
  return (await blocks(page, 'sh'))
    .flatMap((block) => block.split('\n'))
    .map((line) => filled(commandOf(line), variables));
}

/** A command with its variables filled in. */
export function filled(line: CommandLine, variables: Readonly<Record<string, string>>): CommandLine {
  const fill = (word: string): string => word.replace(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? '');
  return { ...line, args: line.args.map(fill) };
}

function commandOf(line: string): CommandLine {
  const [, text = '', code, word = ''] = /^(.*?)(?: # (\d+) ?(.*))?$/.exec(line) ?? [];
  const words = [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');
  const program = words.findIndex((part) => !/^[A-Z_]+=/.test(part));
  expect(words[program], line).toBe('waybill');
  return {
    environment: Object.fromEntries(words.slice(0, program).map((part) => part.split('=', 2) as [string, string])),
    args: words.slice(program + 1),
    promise: code === undefined ? null : { code: Number(code), word },
  };
}
