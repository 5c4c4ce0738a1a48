import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readSource, root, sourceFiles } from './files.ts';
import { packageIn, rootManifest, workspacePackages } from './workspace.ts';

const workspaceFile = readSource('pnpm-workspace.yaml').text;

describe('D01: the shape of the workspace', () => {
  test('D01: the top level has its files and folders', () => {
    const paths = sourceFiles.map(({ path }) => path);
    for (const file of [
      'package.json',
      'pnpm-workspace.yaml',
      'pnpm-lock.yaml',
      'turbo.json',
      '.changeset/config.json',
      'README.md',
      'LICENSE',
    ]) {
      expect(paths).toContain(file);
    }
    for (const folder of ['packages', 'apps', 'schemas', 'test', '.changeset', 'docs']) {
      expect(
        paths.some((path) => path.startsWith(`${folder}/`)),
        folder,
      ).toBe(true);
    }
  });

  test('D01: the root has the scripts that people and CI call', () => {
    for (const script of ['demo', 'test', 'check', 'conformance', 'bench', 'contracts', 'waybill', 'build']) {
      expect(rootManifest.scripts).toHaveProperty(script);
    }
    expect(rootManifest).toMatchObject({ private: true, type: 'module' });
    expect(rootManifest.packageManager).toMatch(/^pnpm@\d+\.\d+\.\d+$/);
  });

  test('D01: the packages of the design are there', () => {
    const names = workspacePackages.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(
        ['contracts', 'store', 'transports', 'testkit', 'dispatcher', 'bench'].map((name) => `@waybill/${name}`),
      ),
    );
  });

  test.each(workspacePackages)(
    'D01: $folder is an ES module that names its licence, its Node and what it exports',
    ({ folder, manifest }) => {
      expect(manifest).toMatchObject({ type: 'module', license: 'MIT', engines: { node: '>=20.19' } });
      for (const [subpath, conditions] of Object.entries(manifest.exports ?? {})) {
        const source = conditions['@waybill/source'];
        expect(source, `${folder} ${subpath} has a source`).toBeDefined();
        expect(existsSync(join(root, folder, source ?? '')), `${folder}/${source}`).toBe(true);
        expect(conditions['types'], subpath).toBe(source?.replace('./src/', './dist/').replace(/\.ts$/, '.d.ts'));
        expect(conditions['default'], subpath).toBe(source?.replace('./src/', './dist/').replace(/\.ts$/, '.js'));
      }
    },
  );

  test.each(workspacePackages)('D01: $folder takes its versions from the catalog', ({ manifest }) => {
    const { dependencies, devDependencies, optionalDependencies } = manifest;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect(version, name).toMatch(/^(catalog:.*|workspace:\*)$/);
    }
  });

  test('D01: the catalog pins exact versions', () => {
    const entries = [...workspaceFile.matchAll(/^ {2,4}(?:'[^']+'|[\w@/.-]+): (\S+)$/gm)].map(([line, version]) => ({
      line,
      version,
    }));
    const versions = entries.filter(({ version }) => /\d/.test(version ?? ''));
    expect(versions.length).toBeGreaterThan(20);
    for (const { line, version } of versions) expect(version, line).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});

describe('D06: a fresh machine', () => {
  test("D06: the README's two commands name the package manager that the workspace pins", () => {
    const readme = readSource('README.md').text;
    for (const script of ['demo', 'test']) expect(readme).toContain(`npx -y ${rootManifest.packageManager} ${script}`);
    expect(workspaceFile).toMatch(/^verifyDepsBeforeRun: install$/m);
  });
});

describe('D05: the tools', () => {
  test('D05: ajv validates records, pino logs, vitest tests', () => {
    expect(packageIn('packages/contracts').manifest.dependencies).toHaveProperty('ajv');
    expect(packageIn('apps/dispatcher').manifest.dependencies).toHaveProperty('pino');
    expect(rootManifest.devDependencies).toHaveProperty('vitest');
    const importers = (room: string, name: string): number =>
      sourceFiles.filter(({ path, text }) => path.startsWith(room) && text.includes(`from '${name}`)).length;
    expect(importers('packages/contracts/src/', 'ajv')).toBeGreaterThan(0);
    expect(importers('apps/dispatcher/src/', 'pino')).toBeGreaterThan(0);
  });
});
