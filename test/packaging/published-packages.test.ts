import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importsOf } from '../tidy/syntax.ts';
import { type Manifest, workspacePackages } from '../tidy/workspace.ts';
import { type Packed, pack } from './pack.ts';
import { typeProblems } from './type-problems.ts';

const published = workspacePackages.filter(({ manifest }) => manifest.private !== true).map(({ name }) => name);

let packed: Packed;
beforeAll(async () => {
  packed = await pack(published);
});
afterAll(() => packed[Symbol.asyncDispose]());

/** The package that a specifier names: `@scope/name/sub` belongs to `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Unpacks a tarball; gives its manifest and what its files import. */
function unpack(name: string): { readonly manifest: Manifest; readonly imports: ReadonlySet<string> } {
  const directory = join(packed.directory, name);
  mkdirSync(directory, { recursive: true });
  execFileSync('tar', ['-xzf', packed.tarball(name), '-C', directory]);
  const files = readdirSync(join(directory, 'package'), { recursive: true, encoding: 'utf8' });
  const code = files
    .filter((file) => /\.(js|d\.ts)$/.test(file))
    .map((path) => ({ path, text: readFileSync(join(directory, 'package', path), 'utf8') }));
  const specifiers = code.flatMap(importsOf).map(({ specifier }) => specifier);
  return {
    manifest: JSON.parse(readFileSync(join(directory, 'package/package.json'), 'utf8')) as Manifest,
    imports: new Set(specifiers.filter((name) => !name.startsWith('.') && !isBuiltin(name)).map(packageOf)),
  };
}

describe('D05: what is published', () => {
  test.each(published)('%s packs cleanly', async (name) => {
    const { messages, pkg } = await publint({ pack: { tarball: (await packed.bytes(name)).buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  test.each(published)('%s has types that fit its modules', async (name) => {
    expect(await typeProblems(await packed.bytes(name))).toEqual([]);
  });

  test.each(published)('%s declares what it imports, and asks for nothing else', (name) => {
    const { manifest, imports } = unpack(name);
    const needed = Object.keys(manifest.dependencies ?? {});
    const brought = Object.keys(manifest.peerDependencies ?? {});
    expect([...imports].filter((specifier) => ![...needed, ...brought, name].includes(specifier))).toEqual([]);
    expect(needed.filter((dependency) => !imports.has(dependency))).toEqual([]);
    expect([...needed, ...brought].filter((dependency) => dependency.startsWith('workspace:'))).toEqual([]);
  });
});
