import { manifestOf } from '../manifest.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { loadContracts } from './load-contracts.ts';
import type { ProjectOptions } from './project.ts';
import type { Terminal } from './terminal.ts';

/** `manifest`: what a build of these packages reads and writes, always as JSON, for the pipeline to keep with the image. */
export async function manifestCommand(
  terminal: Terminal,
  options: ProjectOptions & { readonly build?: string },
): Promise<ExitCode> {
  const packages = await loadContracts(options.contracts ?? [], terminal.directory);
  const build =
    options.build ?? packages.map(({ packageName, packageVersion }) => `${packageName}@${packageVersion}`).join('+');
  terminal.print(
    JSON.stringify(
      manifestOf(
        packages.map(({ contracts }) => contracts),
        build,
      ),
    ),
  );
  return EXIT_CODES.allowed;
}
