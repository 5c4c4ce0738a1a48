import ts from 'typescript';
import { isTest, type SourceFile } from './files.ts';
import { type Breach, enforce } from './rule.ts';
import { collect, importsOf } from './syntax.ts';

/** `new Promise((resolve) => setTimeout(resolve, 100))`, in any dress. */
function promisedTimeouts(file: SourceFile): readonly Breach[] {
  return collect(file, (node, line) => {
    if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return undefined;
    return /\bsetTimeout\(\s*(resolve|r|done|res|_?ok)\b/.test(node.getText())
      ? { line, what: 'a promised timeout' }
      : undefined;
  });
}

function timerImports(file: SourceFile): readonly Breach[] {
  return importsOf(file)
    .filter(({ specifier }) => /^(node:)?timers\/promises$/.test(specifier))
    .map(({ specifier, line }) => ({ line, what: specifier }));
}

enforce({
  title: 'No test sleeps',
  mend: 'Await a signal: an event, a promise that the fixture resolves, a row that appears (vi.waitFor), or a clock of your own.',
  covers: (path) => isTest(path) && path.endsWith('.ts'),
  breaches: (file) => [...timerImports(file), ...promisedTimeouts(file)],
  caught: [
    "import { setTimeout as delay } from 'node:timers/promises';",
    'await new Promise((resolve) => setTimeout(resolve, 100));',
    'await new Promise<void>((resolve) => { setTimeout(resolve, 100); });',
  ].map((text) => ({ path: 'packages/store/src/x.test.ts', text })),
  exceptions: {
    'packages/store/test/stress/random.ts': 'how long a made-up worker works is the input, nothing is waited for',
    'apps/examples/github-demo/src/story/kill-anything.test.ts':
      'kills at a moment of chance: the delay is the input, nothing is waited for',
  },
  allowed: [
    'await new Promise((resolve) => server.once("listening", resolve));',
    'await vi.waitFor(() => expect(rows).toBe(3));',
    'const timer = setTimeout(() => controller.abort(), 10_000);',
  ].map((text) => ({ path: 'packages/store/src/x.test.ts', text })),
});
