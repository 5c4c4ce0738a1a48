import { asyncApiDocument } from '../documents/asyncapi.ts';
import { markdownDocument } from '../documents/markdown.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { loadContracts } from './load-contracts.ts';
import type { ProjectOptions } from './project.ts';
import { type Terminal, wantsJson } from './terminal.ts';

/** `docs --format markdown|asyncapi`: the contracts for people, or for tools. */
export async function docsCommand(
  terminal: Terminal,
  options: ProjectOptions & { readonly format: 'markdown' | 'asyncapi' },
): Promise<ExitCode> {
  const packages = await loadContracts(options.contracts ?? [], terminal.directory);
  for (const { contracts, packageVersion } of packages) {
    const { name } = contracts;
    if (options.format === 'asyncapi')
      terminal.print(JSON.stringify(asyncApiDocument(contracts, packageVersion), null, 2));
    else if (wantsJson(options))
      terminal.print(JSON.stringify({ schema: 'waybill.docs/v1', name, markdown: markdownDocument(contracts) }));
    else terminal.print(markdownDocument(contracts));
  }
  return EXIT_CODES.allowed;
}
