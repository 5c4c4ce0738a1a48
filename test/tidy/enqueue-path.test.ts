import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isTest, type SourceFile, sourceFiles } from './files.ts';
import { importsOf } from './syntax.ts';

/** What a producer's request runs: the drivers that it imports, and what they import in turn. */
const ROOTS = /^packages\/store\/src\/(drivers\/[^/]+|enqueue\/outbox)\.ts$/;
/** What claims, sends or settles. */
const DISPATCHING =
  /^packages\/store\/src\/(claimer|floors|generations\/(drainer|key-slots|keyless-drainer)|operators\/.*|statements\/(batch|claim|renew|replay|settle|sweep))\.ts$/;
const DISPATCHING_PACKAGE =
  /^@waybill\/(transports|dispatcher|testkit)(\/|$)|^(node:)?(http|https|http2|net|tls|dgram|worker_threads|child_process)$/;

/** Every file that the roots load, with a chain of imports that leads there, and every import of another package. */
function reach(files: ReadonlyMap<string, SourceFile>, roots: readonly string[]): ReadonlyMap<string, string> {
  const chains = new Map(roots.map((path) => [path, path]));
  for (const [path, chain] of chains) {
    const file = files.get(path);
    for (const { specifier, typeOnly } of file === undefined ? [] : importsOf(file)) {
      const target = specifier.startsWith('.') ? posix.join(posix.dirname(path), specifier) : specifier;
      if (!typeOnly && !chains.has(target)) chains.set(target, `${chain} -> ${target}`);
    }
  }
  return chains;
}

function dispatching(files: readonly SourceFile[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const roots = [...byPath.keys()].filter((path) => ROOTS.test(path) && !isTest(path));
  return [...reach(byPath, roots)].flatMap(([target, chain]) =>
    DISPATCHING.test(target) || DISPATCHING_PACKAGE.test(target) ? [chain] : [],
  );
}

const file = (path: string, text: string): SourceFile => ({ path: `packages/store/src/${path}`, text });

describe('W11: nothing that an enqueue can reach can dispatch', () => {
  test('no import leads from a driver to what claims, sends or settles', () => {
    expect(sourceFiles.filter(({ path }) => ROOTS.test(path) && !isTest(path)).length).toBeGreaterThan(5);
    expect(dispatching(sourceFiles)).toEqual([]);
  });

  test.each([
    [
      file('drivers/pg.ts', "import { createOutbox } from '../enqueue/outbox.ts';"),
      "import { claim } from '../statements/claim.ts';",
    ],
    [
      file('drivers/pg.ts', "export * from '../enqueue/outbox.ts';"),
      "import { kafka } from '@waybill/transports/kafka';",
    ],
    [file('drivers/pg.ts', ''), "const send = await import('node:http');"],
  ])('a chain of imports is caught %#', (driver, inner) => {
    expect(dispatching([driver, file('enqueue/outbox.ts', inner)])).toHaveLength(1);
  });

  test('a type alone brings nothing that runs', () => {
    expect(dispatching([file('drivers/pg.ts', "import type { Claimer } from '../claimer.ts';")])).toEqual([]);
  });
});
