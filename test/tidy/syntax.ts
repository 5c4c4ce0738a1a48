import ts from 'typescript';
import type { SourceFile } from './files.ts';
import type { Breach } from './rule.ts';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** `import type`, which leaves nothing in the program. */
  readonly typeOnly: boolean;
}

type Visit<T> = (node: ts.Node, line: number) => T | undefined;

const parsed = new WeakMap<SourceFile, ts.SourceFile>();

/** What `visit` returns for the nodes of the file, in order, without the undefined. */
export function collect<T>(file: SourceFile, visit: Visit<T>): readonly T[] {
  const tree = parse(file);
  const found: T[] = [];
  const walk = (node: ts.Node): void => {
    const result = visit(node, tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1);
    if (result !== undefined) found.push(result);
    ts.forEachChild(node, walk);
  };
  walk(tree);
  return found;
}

/** Static imports, re-exports, and dynamic imports of a literal. */
export function importsOf(file: SourceFile): readonly Import[] {
  return collect(file, (node, line) => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
      return { specifier: node.moduleSpecifier.text, line, typeOnly };
    }
    if (
      ts.isExportDeclaration(node) &&
      node.moduleSpecifier !== undefined &&
      ts.isStringLiteral(node.moduleSpecifier)
    ) {
      return { specifier: node.moduleSpecifier.text, line, typeOnly: node.isTypeOnly };
    }
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments;
      if (argument !== undefined && ts.isStringLiteral(argument))
        return { specifier: argument.text, line, typeOnly: false };
    }
    return undefined;
  });
}

/** Uses of a member such as `process.env` or `Date.now`, called or not. */
export function usesOf(members: ReadonlySet<string>): (file: SourceFile) => readonly Breach[] {
  return (file) =>
    collect(file, (node, line) => {
      if (!ts.isPropertyAccessExpression(node)) return undefined;
      const text = `${node.expression.getText()}.${node.name.text}`.replace(/^globalThis\./, '');
      return members.has(text) ? { line, what: text } : undefined;
    });
}

/** The text of string literals and of template literals, with `${}` for what is put in. */
export function literalsOf(file: SourceFile): readonly { readonly text: string; readonly line: number }[] {
  return collect(file, (node, line) => {
    if (ts.isStringLiteralLike(node)) return { text: node.text, line };
    if (!ts.isTemplateExpression(node)) return undefined;
    return { text: node.head.text + node.templateSpans.map((span) => `\${}${span.literal.text}`).join(''), line };
  });
}

function parse(file: SourceFile): ts.SourceFile {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
  parsed.set(file, tree);
  return tree;
}
