import { asyncApiDocument } from '../documents/asyncapi.ts';
import { markdownDocument } from '../documents/markdown.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { loadContracts } from './load-contracts.ts';
import type { ProjectOptions } from './project.ts';
import type { Terminal } from './terminal.ts';

/** `docs --format markdown|asyncapi`: the contracts for people, or for tools. */
export async function docsCommand(
  terminal: Terminal,
  options: ProjectOptions & { readonly format: string },
): Promise<ExitCode> {
  const packages = await loadContracts(options.contracts ?? [], terminal.directory);
  if (options.format !== 'markdown' && options.format !== 'asyncapi') {
    terminal.tell(`--format ${options.format}: write markdown or asyncapi`);
    return EXIT_CODES.couldNotRun;
  }
  for (const { contracts, packageVersion } of packages)
    terminal.print(
      options.format === 'markdown'
        ? markdownDocument(contracts)
        : JSON.stringify(asyncApiDocument(contracts, packageVersion), null, 2),
    );
  return EXIT_CODES.allowed;
}
