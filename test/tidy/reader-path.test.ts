import ts from 'typescript';
import { isCode, isTest, type SourceFile } from './files.ts';
import { type Breach, enforce, matchingLines } from './rule.ts';
import { collect, importsOf } from './syntax.ts';

/** What could judge or change a payload beside the readers. */
const VALIDATORS = /^(ajv|ajv-formats|@sinclair\/typebox\/(value|compiler|parser))(\/|$)/;
/** A definition's own steps, and its own schemas when they are picked out by version. */
const STEPS: ReadonlySet<string> = new Set(['upcast', 'downcast']);

function validatorImports(file: SourceFile): readonly Breach[] {
  return importsOf(file)
    .filter(({ specifier }) => VALIDATORS.test(specifier))
    .map(({ specifier, line }) => ({ line, what: `imports ${specifier}` }));
}

/** `JSON.parse(record.payload)`, `parseJson(payload)`. */
function parsedPayloads(file: SourceFile): readonly Breach[] {
  return collect(file, (node, line) => {
    if (!ts.isCallExpression(node)) return undefined;
    const called = node.expression.getText();
    const parses = called === 'JSON.parse' || called === 'parseJson';
    return parses && node.arguments.some((argument) => /payload/i.test(argument.getText()))
      ? { line, what: node.getText() }
      : undefined;
  });
}

function ownSteps(file: SourceFile): readonly Breach[] {
  return collect(file, (node, line) => {
    if (ts.isPropertyAccessExpression(node) && STEPS.has(node.name.text)) return { line, what: node.getText() };
    if (!ts.isElementAccessExpression(node)) return undefined;
    return /\.versions$/.test(node.expression.getText()) ? { line, what: node.getText() } : undefined;
  });
}

/** A member of a payload that SQL looks at: no reader has said yet what it means. */
const inSql = matchingLines(/\bpayload\b[^,;]{0,20}(->|#>|@>|::\s*jsonb)/);

const store = (text: string): SourceFile => ({ path: 'packages/store/src/x.ts', text });

enforce({
  title: 'V06: a stored payload is read through the readers of the contracts, on every path',
  mend: 'Ask `readers.read(record)` of createReaders: it chooses the schema by the record, validates, and takes the steps between versions.',
  covers: (path) =>
    /^(packages\/(store|transports)|apps\/dispatcher)\//.test(path) &&
    (path.endsWith('.sql') || (isCode(path) && !isTest(path))),
  breaches: (file) =>
    file.path.endsWith('.sql')
      ? inSql(file)
      : [...validatorImports(file), ...parsedPayloads(file), ...ownSteps(file), ...inSql(file)],
  caught: [
    store('const order = JSON.parse(record.payload);'),
    store("import { parseJson } from '@waybill/contracts';\nconst order = parseJson(payloadText);"),
    store("import { Ajv2020 } from 'ajv/dist/2020.js';"),
    store("import { Value } from '@sinclair/typebox/value';"),
    store('const newer = message.upcast[2](older);'),
    store('const older = step(message.downcast, newer);'),
    store('const schema = message.versions[record.version];'),
    store("const sql = `select payload ->> 'id' from message`;"),
    { path: 'packages/store/sql/migrations/0009_x.sql', text: "select m.payload::jsonb -> 'id' from message m" },
    { path: 'apps/dispatcher/src/commands/show.ts', text: 'print(JSON.parse(message.payload));' },
  ],
  allowed: [
    store('const read = readers.read({ type, version, payload });'),
    store('const facts = JSON.parse(text);'),
    store('const newest = Object.keys(message.versions).at(-1);'),
    store('const sql = `insert into message (id, payload) values ($1, $2::json)`;'),
    { path: 'packages/store/src/x.test.ts', text: 'expect(JSON.parse(row.payload)).toEqual(order);' },
    { path: 'packages/contracts/src/reading/x.ts', text: 'const step = message.upcast[next];' },
  ],
});
