/** The finished schema as SQL, for people who want to read it in one piece rather than step by step. */
import type { Connection } from '../src/executor.ts';
import { textOf } from '../src/row.ts';
import { type Catalog, readCatalog } from '../src/statements/catalog.ts';
import type { Store } from '../src/store.ts';

const HEADER = `-- The finished schema, as the migrations of @waybill/store make it. Generated: to be read, not to be run; "waybill schema plan" prints what runs.
`;

/** Needs a transaction of its own. */
export async function dumpSchema(connection: Connection, store: Store): Promise<string> {
  const catalog = await readCatalog(connection, store);
  const texts = await connection.query(
    `select 'view ' || c.relname as name, 'create view ' || c.relname || E' as\\n' || pg_get_viewdef(c.oid, true) as text
     from pg_class c where c.relnamespace = to_regnamespace($1) and c.relkind = 'v'
     union all
     select 'function ' || p.proname || pg_get_function_identity_arguments(p.oid), pg_get_functiondef(p.oid) || ';'
     from pg_proc p where p.pronamespace = to_regnamespace($1)
     order by 1`,
    [store.quoted],
  );
  return [HEADER, ...tables(catalog), ...texts.map((row) => `${textOf(row, 'text')}\n`)]
    .join('\n')
    .replaceAll(/ +$/gm, '');
}

function tables(catalog: Catalog): readonly string[] {
  const parts = Object.entries(catalog).map(([name, definition]) => ({
    owner: name.split(', ', 1)[0] ?? name,
    name,
    definition,
  }));
  const owners = [...new Set(parts.map(({ owner }) => owner))].filter((owner) => /^(table|type|sequence) /.test(owner));
  const indexes = parts.filter(({ name }) => name.startsWith('index ')).map(({ definition }) => `${definition};\n`);
  return [
    ...owners.map((owner) => {
      const own = parts.filter((part) => part.owner === owner);
      if (owner.startsWith('sequence ')) return `-- ${owner}: ${own[0]?.definition ?? ''}\n`;
      const lines = own.flatMap(({ name, definition }) => {
        const [, kind = '', object = ''] = /, (column|constraint) (.*)$/.exec(name) ?? [];
        if (kind === '') return [];
        return [kind === 'column' ? `  ${object} ${definition}` : `  constraint ${object} ${definition}`];
      });
      const triggers = own
        .filter(({ name }) => name.includes(', trigger '))
        .map(({ definition }) => `${definition};\n`);
      return [
        `create ${owner}${owner.startsWith('type') ? ' as' : ''} (\n${lines.join(',\n')}\n);\n`,
        ...triggers,
      ].join('\n');
    }),
    ...indexes,
  ];
}
