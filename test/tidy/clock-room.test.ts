import ts from 'typescript';
import { isCode, isTest, type SourceFile } from './files.ts';
import { type Breach, enforce } from './rule.ts';
import { collect, usesOf } from './syntax.ts';

const sources = usesOf(
  new Set([
    'Date.now',
    'Math.random',
    'crypto.randomUUID',
    'performance.now',
    'process.hrtime',
    'process.hrtime.bigint',
  ]),
);

/** `new Date()` and `Date()`, but not `new Date(text)`. */
function currentDates(file: SourceFile): readonly Breach[] {
  return collect(file, (node, line) => {
    const bare =
      (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
      node.expression.getText() === 'Date' &&
      (node.arguments?.length ?? 0) === 0;
    return bare ? { line, what: node.getText() } : undefined;
  });
}

/** `randomUUID` and friends, imported by name. */
function importedRandomness(file: SourceFile): readonly Breach[] {
  return collect(file, (node, line) =>
    ts.isImportSpecifier(node) && node.name.text === 'randomUUID' ? { line, what: 'randomUUID' } : undefined,
  );
}

/** Where defaults are given: a program's main, a transport's factory and its settings. */
const EDGE = /\/src\/(?:cli\/)?main[^/]*\.ts$|^packages\/transports\/src\/([^/]+)\/(\1|settings)\.ts$/;
/** The suites of the test kit measure real servers by real time, and so is waited for a server's start. */
const REAL_TIME = /^(packages\/testkit|apps\/local-servers)\//;

enforce({
  title: 'Clock and randomness come in as parameters',
  mend: 'Take `now` or `random` as a parameter; the outermost factory gives the default and stands in the list of exceptions with its reason.',
  covers: (path) => isCode(path) && !isTest(path) && !REAL_TIME.test(path) && !EDGE.test(path),
  breaches: (file) => [...sources(file), ...currentDates(file), ...importedRandomness(file)],
  caught: [
    { path: 'packages/store/src/x.ts', text: 'const age = Date.now() - start;' },
    { path: 'packages/store/src/x.ts', text: 'const jitter = Math.random;' },
    { path: 'packages/store/src/x.ts', text: 'const at = new Date();' },
    { path: 'packages/transports/src/kafka/send.ts', text: 'const start = performance.now();' },
    { path: 'packages/store/src/x.ts', text: "import { randomUUID } from 'node:crypto';" },
    { path: 'apps/dispatcher/src/loop/x.ts', text: 'const now = globalThis.performance.now();' },
  ],
  allowed: [
    { path: 'packages/store/src/x.ts', text: 'const at = new Date(text);' },
    { path: 'packages/store/src/x.test.ts', text: 'const at = new Date();' },
    { path: 'apps/dispatcher/src/main.ts', text: 'start({ now: Date.now });' },
    { path: 'packages/transports/src/kafka/kafka.ts', text: 'const now = options.now ?? performance.now;' },
  ],
  exceptions: {
    'apps/dispatcher/src/loop/clock.ts': 'the real clock, made once and handed to the loop',
    'apps/dispatcher/src/run/run-dispatcher.ts': 'the program is put together here: identity, jitter and clock go in',
  },
});
