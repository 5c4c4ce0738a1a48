import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ContractError } from '../contract-error.ts';
import { contractPackageFiles } from '../documents/contract-package-files.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { type OutputOptions, type Terminal, wantsJson } from './terminal.ts';

/** npm's own rule, without the scopes and lengths that it also checks at publish time. */
const PACKAGE_NAME = /^(@[a-z0-9-][a-z0-9-._]*\/)?[a-z0-9-][a-z0-9-._]*$/;

/** `init NAME [FOLDER]`: a contract package to start from. Existing files are never overwritten. */
export async function initCommand(
  terminal: Terminal,
  name: string,
  folder: string | undefined,
  options: OutputOptions,
): Promise<ExitCode> {
  if (!PACKAGE_NAME.test(name)) throw new ContractError('CTR_INPUT_UNREADABLE', `${name}: is no package name`);
  const directory = resolve(terminal.directory, folder ?? name.replace(/^@[^/]+\//, ''));
  const written: string[] = [];
  for (const [file, text] of Object.entries(contractPackageFiles(name))) {
    const path = join(directory, file);
    try {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'error';
      const why = code === 'EEXIST' ? 'is there already; init starts in a new folder' : `cannot be written (${code})`;
      throw new ContractError('CTR_INPUT_UNREADABLE', `${path}: ${why}`, [], { cause: error });
    }
    written.push(path);
  }
  if (wantsJson(options)) terminal.print(JSON.stringify({ schema: 'waybill.init/v1', written }));
  else {
    for (const path of written) terminal.print(`written: ${path}`);
    terminal.print('next: install, build, then waybill-contracts lint, freeze and check');
  }
  return EXIT_CODES.allowed;
}
