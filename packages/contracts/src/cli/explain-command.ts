import { openBase } from '../check/base.ts';
import { compareSchemas } from '../compat/compare.ts';
import { ContractError } from '../contract-error.ts';
import { canonicalSchema } from '../freeze/canonical-schema.ts';
import { describeComparison } from './describe-comparison.ts';
import { type ExitCode, VERDICT_EXIT_CODES } from './exit-codes.ts';
import { openProject, type ProjectOptions } from './project.ts';
import { type Terminal, wantsJson } from './terminal.ts';

/** `explain TYPE@V [--against BASE]`: the code of one version against its frozen schema, with everything that decided. */
export async function explainCommand(
  terminal: Terminal,
  subject: string,
  options: ProjectOptions & { readonly against?: string },
): Promise<ExitCode> {
  const { type, version } = parseSubject(subject);
  const project = await openProject(terminal, options);
  const schema = project.messages.find((message) => message.type === type)?.versions[version];
  if (schema === undefined)
    throw new ContractError('CTR_INPUT_UNREADABLE', `${subject}: no contract package defines it`);
  const tree =
    options.against === undefined
      ? project.tree
      : (await openBase(options.against, terminal.directory, project.schemasDirectory)).tree;
  const comparison = compareSchemas(await tree.schema(type, version), canonicalSchema(type, version, schema));
  if (wantsJson(options)) terminal.print(JSON.stringify({ type, version, ...comparison }));
  else for (const line of describeComparison(comparison)) terminal.print(line);
  return VERDICT_EXIT_CODES[comparison.verdict];
}

/** `type@version`, as operators write it everywhere. */
export function parseSubject(subject: string): { readonly type: string; readonly version: number } {
  const match = /^(.+)@(\d+)$/.exec(subject);
  if (match === null)
    throw new ContractError('CTR_INPUT_UNREADABLE', `${subject}: write TYPE@VERSION, as in orders.order-placed@2`);
  return { type: match[1] ?? '', version: Number(match[2]) };
}
