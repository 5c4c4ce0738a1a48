import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ContractError } from '../contract-error.ts';
import { contractPackageFiles } from '../documents/contract-package-files.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** npm's own rule, without the scopes and lengths that it also checks at publish time. */
const PACKAGE_NAME = /^(@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]*$/;

/** `init NAME [FOLDER]`: a contract package to start from. Existing files are never overwritten. */
export async function initCommand(terminal: Terminal, name: string, folder: string | undefined): Promise<ExitCode> {
  if (!PACKAGE_NAME.test(name)) throw new ContractError('CTR_INPUT_UNREADABLE', `${name}: is no package name`);
  const directory = resolve(terminal.directory, folder ?? name.replace(/^@[^/]+\//, ''));
  for (const [file, text] of Object.entries(contractPackageFiles(name))) {
    const path = join(directory, file);
    await mkdir(dirname(path), { recursive: true });
    try {
      await writeFile(path, text, { flag: 'wx' });
    } catch (error) {
      throw new ContractError('CTR_INPUT_UNREADABLE', `${path}: is there already; init starts in a new folder`, [], {
        cause: error,
      });
    }
    terminal.print(`written: ${path}`);
  }
  terminal.print('next: install, build, then waybill-contracts lint, freeze and check');
  return EXIT_CODES.allowed;
}
