import { isCode, isTest } from './files.ts';
import { enforce } from './rule.ts';
import { literalsOf } from './syntax.ts';

/** Our tables; the view `record` is public and may be read by all. */
const TABLES =
  'contract|message|delivery|dispatched|dead_letter|replay|dispatcher|capability|policy|writer|reader|version_pin|pause|unreadable|inbox|audit|migration';
/** A statement that names one of them, with our schema or with a schema that is put in. */
const STATEMENT = new RegExp(
  String.raw`\b(from|into|update|join|table|only|truncate|on)\s+("?waybill"?|"?\$\{\}"?)\.("?)(${TABLES})\3(?![\w.])`,
  'i',
);

enforce({
  title: 'D03: SQL on our tables stands in packages/store/src/statements and packages/store/sql alone',
  mend: 'Give the statement a function in packages/store/src/statements, or read the public view "record".',
  covers: (path) => isCode(path) && !isTest(path) && !path.startsWith('packages/store/src/statements/'),
  breaches: (file) =>
    literalsOf(file).flatMap(({ text, line }) => {
      const match = STATEMENT.exec(text);
      return match === null ? [] : [{ line, what: match[0] }];
    }),
  caught: [
    { path: 'apps/dispatcher/src/x.ts', text: "query('select * from waybill.delivery')" },
    { path: 'packages/store/src/x.ts', text: 'query(`update ${schema}.delivery set due_at = now()`)' },
    { path: 'packages/store/src/drivers/pg.ts', text: 'query(`insert into "${schema}".message values (1)`)' },
    { path: 'apps/bench/src/x.ts', text: "query('truncate waybill.dead_letter')" },
  ],
  allowed: [
    { path: 'packages/store/src/statements/x.ts', text: 'query(`update ${schema}.delivery set due_at = now()`)' },
    { path: 'packages/store/src/x.test.ts', text: "query('select * from waybill.delivery')" },
    { path: 'apps/examples/github-demo/src/x.ts', text: "query('select * from waybill.record')" },
    { path: 'apps/examples/github-demo/src/x.ts', text: "query('insert into message values (1)')" },
    { path: 'packages/store/src/x.ts', text: '// select * from waybill.delivery' },
  ],
  exceptions: {
    'packages/store/src/migrations.ts': 'the table of applied steps, which has to be there before the first step',
    'apps/examples/github-demo/src/observation/waybill-tables.ts':
      'an auditor watches the tables themselves, not through the code that it audits',
  },
});
