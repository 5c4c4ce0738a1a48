import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Copies a checkout, as it stands, to the empty folder `target`, so that the copy can be broken without harm. Its
 * packages link to each other; third-party packages are those of the original.
 */
export async function copyCheckout(root: string, target: string): Promise<void> {
  for (const path of listFiles(root)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await cp(join(root, path), join(target, path), { verbatimSymlinks: true });
  }
  // A repository of its own, without history: the rules of the house ask Git which files there are.
  execFileSync('git', ['init', '--quiet', target]);
  for (const folder of packageFolders(root)) await linkModules(root, target, join(folder, 'node_modules'));
}

function listFiles(root: string): readonly string[] {
  const git = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const paths = execFileSync('git', git, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  return paths.filter((path) => path !== '' && existsSync(join(root, path)));
}

function packageFolders(root: string): readonly string[] {
  return (
    listFiles(root)
      // Not the servers of test/servers, which are no part of the workspace.
      .filter((path) => path === 'package.json' || /^(apps|packages)\/.*\/package\.json$/.test(path))
      .map(dirname)
  );
}

/** The links among the packages are relative, so that they stay inside the copy; the store behind them is shared. */
async function linkModules(root: string, target: string, modules: string): Promise<void> {
  if (!existsSync(join(root, modules))) return;
  await mkdir(join(target, modules), { recursive: true });
  for (const entry of await readdir(join(root, modules))) {
    const from = join(root, modules, entry);
    const to = join(target, modules, entry);
    if (entry === '.pnpm') await symlink(from, to);
    else await cp(from, to, { recursive: true, verbatimSymlinks: true });
  }
}
