import ts from 'typescript';
import { isCode, type SourceFile } from './files.ts';
import { type Breach, enforce } from './rule.ts';
import { collect } from './syntax.ts';

/** A comment that talks to the compiler; the one that expects an error must say why, for type tests have good reasons. */
const SILENCER = new RegExp(`@ts-(ignore|nocheck)|@ts-expect-error\\s*$|eslint-disable(?!.* -- )`);

function holes(file: SourceFile): readonly Breach[] {
  const lines = file.text.split('\n');
  const silenced = lines.flatMap((text, index) =>
    SILENCER.test(text) ? [{ line: index + 1, what: text.trim() }] : [],
  );
  return [
    ...silenced,
    ...collect(file, (node, line) => {
      if (node.kind === ts.SyntaxKind.AnyKeyword) return { line, what: 'any' };
      const double = ts.isAsExpression(node) && ts.isAsExpression(node.expression);
      return double && !explained(lines, line)
        ? { line, what: 'a double cast without its reason beside it' }
        : undefined;
    }),
  ];
}

function explained(lines: readonly string[], line: number): boolean {
  return [lines[line - 2], lines[line - 1]].some((text) => /(^|\s)(\/\/|\*|\/\*)/.test(text ?? ''));
}

enforce({
  title: 'No hole in the types: no any, no silenced compiler, no unexplained double cast',
  mend: 'Use unknown and narrow it; where the compiler cannot know, cast once and say why in a comment on the line above.',
  covers: (path) => isCode(path) && path !== 'test/tidy/type-holes.test.ts',
  breaches: holes,
  caught: [
    'let x: any;',
    'const x = y as any;',
    '// @ts-ignore\nx();',
    '// @ts-expect-error\nx();',
    '/* eslint-disable no-console */',
    'const x = y as unknown as string;',
  ].map((text) => ({ path: 'packages/store/src/x.ts', text })),
  allowed: [
    'let x: unknown;',
    '// any value will do\nlet x: unknown;',
    '// @ts-expect-error a pool is no transaction\nx();',
    '// eslint-disable-next-line no-console -- the program has no logger yet\nx();',
    '// The driver types the row as text, the query returns numbers.\nconst x = y as unknown as number;',
  ].map((text) => ({ path: 'packages/store/src/x.ts', text })),
});
