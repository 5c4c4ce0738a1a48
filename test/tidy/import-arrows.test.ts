import { posix } from 'node:path';
import { isCode, isTest, root, type SourceFile } from './files.ts';
import { type Breach, enforce } from './rule.ts';
import { importsOf } from './syntax.ts';
import { exportsOf, workspacePackages } from './workspace.ts';

/** Whom each package may import, contracts <- store <- transports <- apps. A package that is not named here may import none. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/contracts': [],
  'packages/store': ['@waybill/contracts'],
  'packages/transports': ['@waybill/contracts', '@waybill/store'],
  'packages/testkit': ['@waybill/contracts'],
  'apps/local-postgres': [],
  'apps/local-servers': [],
  'apps/dispatcher': ['@waybill/contracts', '@waybill/store', '@waybill/transports'],
  'apps/bench': [
    '@waybill/contracts',
    '@waybill/store',
    '@waybill/transports',
    '@waybill/dispatcher',
    '@waybill/local-postgres',
    '@waybill/local-servers',
  ],
  'apps/examples/brokers': ['@waybill/contracts', '@waybill/store', '@waybill/transports', '@waybill/dispatcher'],
  'apps/examples/github-contracts': ['@waybill/contracts'],
  'apps/examples/github-demo': [
    ...[
      '@waybill/contracts',
      '@waybill/store',
      '@waybill/transports',
      '@waybill/dispatcher',
      '@waybill/local-postgres',
    ],
    '@waybill-examples/github-contracts',
  ],
};

/** Tests may use these besides: real databases, real brokers and the suites for users' tests. */
const FOR_TESTS = ['@waybill/local-postgres', '@waybill/local-servers', '@waybill/testkit'];

const folders = [...workspacePackages.map(({ folder }) => folder)].sort((a, b) => b.length - a.length);

function folderOf(path: string): string | undefined {
  return folders.find((folder) => path.startsWith(`${folder}/`));
}

function breaches(file: SourceFile): readonly Breach[] {
  const folder = folderOf(file.path);
  return importsOf(file).flatMap(({ specifier, line }) => {
    const what = specifier.startsWith('.')
      ? escapes(file.path, folder, specifier)
      : forbidden(file.path, folder, specifier);
    return what === undefined ? [] : [{ line, what: `${specifier}: ${what}` }];
  });
}

function escapes(path: string, folder: string | undefined, specifier: string): string | undefined {
  const target = posix.normalize(posix.join(posix.dirname(path), specifier));
  return folderOf(target) === folder ? undefined : 'a relative import leaves its package';
}

function forbidden(path: string, folder: string | undefined, specifier: string): string | undefined {
  const target = workspacePackages.find(({ name }) => specifier === name || specifier.startsWith(`${name}/`));
  if (target === undefined) return undefined;
  if (!exportsOf(target).includes(specifier)) return 'not in the exports map of its package';
  // Whole-repository tests and a package's tests of its own public face see everything that is exported.
  if (folder === undefined || target.folder === folder) return undefined;
  const allowed = [...(MAY_IMPORT[folder] ?? []), ...(isTest(path) ? FOR_TESTS : [])];
  return allowed.includes(target.name) ? undefined : `${folder} may not import it`;
}

const sample = (path: string, specifier: string): SourceFile => ({ path, text: `import { x } from '${specifier}';` });

enforce({
  title: 'D01 D02: imports run contracts <- store <- transports <- apps, and only through exports maps',
  mend: `Import the public name from its package, or move the code to the lower room. The arrows stand in ${import.meta.filename.slice(root.length + 1)}.`,
  covers: isCode,
  breaches,
  caught: [
    sample('packages/contracts/src/x.ts', '@waybill/store'),
    sample('packages/store/src/x.ts', '@waybill/transports'),
    sample('packages/store/src/x.ts', '@waybill/testkit'),
    sample('packages/store/src/x.ts', '../../contracts/src/index.ts'),
    sample('apps/dispatcher/src/x.ts', '@waybill/store/src/index.ts'),
    sample('apps/dispatcher/src/x.ts', '@waybill/store/dist/index.js'),
    sample('apps/examples/github-demo/src/x.ts', '@waybill/store/statements'),
    { path: 'packages/contracts/src/x.ts', text: "export type { X } from '@waybill/store';" },
    { path: 'packages/contracts/src/x.ts', text: "const x = await import('@waybill/store');" },
  ],
  allowed: [
    sample('packages/store/src/x.ts', '@waybill/contracts'),
    sample('packages/store/src/x.test.ts', '@waybill/local-postgres/vitest'),
    sample('packages/transports/src/memory/suite.test.ts', '@waybill/testkit'),
    sample('packages/store/src/drivers/x.ts', '../executor.ts'),
    sample('test/e2e/x.test.ts', '@waybill/dispatcher'),
    { path: 'packages/contracts/src/x.ts', text: "// import { x } from '@waybill/store';" },
  ],
});
