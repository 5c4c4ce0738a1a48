import ts from 'typescript';
import { isTest, type SourceFile } from './files.ts';
import { type Breach, enforce } from './rule.ts';
import { collect } from './syntax.ts';

const RUNNERS = new Set(['test', 'it', 'describe', 'suite', 'bench']);
const MODIFIERS = new Set(['only', 'skip', 'todo', 'skipIf', 'runIf', 'fails']);

function modifiers(file: SourceFile): readonly Breach[] {
  return collect(file, (node, line) => {
    if (ts.isIdentifier(node) && /^(xit|xtest|xdescribe|fit|fdescribe)$/.test(node.text))
      return { line, what: node.text };
    if (!ts.isPropertyAccessExpression(node) || !MODIFIERS.has(node.name.text)) return undefined;
    const runner = /^\w+/.exec(node.expression.getText())?.[0] ?? '';
    return RUNNERS.has(runner) ? { line, what: node.getText() } : undefined;
  });
}

enforce({
  title: 'D05: every test runs: none is skipped, focused, postponed or expected to fail',
  mend: 'Make the test pass, or delete it and say so in the commit.',
  covers: (path) => isTest(path) && path.endsWith('.ts'),
  breaches: modifiers,
  caught: [
    "test.only('x', f)",
    "describe.skip('x', f)",
    "it.todo('x')",
    "test.concurrent.skip('x', f)",
    "test.skipIf(slow)('x', f)",
    "xit('x', f)",
  ].map((text) => ({ path: 'packages/store/src/x.test.ts', text })),
  allowed: ["test('x', f)", "test.each([1])('x', f)", 'reader.skip(3)', "// test.only('x')"].map((text) => ({
    path: 'packages/store/src/x.test.ts',
    text,
  })),
});
