import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

import { quoteIdentifier, quoteLiteral } from './identifier.ts';

/** One numbered step of the schema. Released steps are frozen; the database only ever moves forward. */
export interface Migration {
  /** Grows from step to step. Numbers may be missing: lines of work reserve theirs. */
  readonly number: number;
  readonly name: string;
  /** An older store may not work with a database that has it. Marked by a first line `--! breaking`. */
  readonly breaking: boolean;
  /** Fingerprint of the text as released, to find an edited step. */
  readonly checksum: string;
  /** The statements, for one schema. */
  sql(schema: string): string;
}

const FOLDER = new URL('../sql/migrations/', import.meta.url);
const FILE_NAME = /^(\d{4})_([a-z0-9_]+)\.sql$/;

/** Reads the steps that this version of the store knows, in order. */
export function readMigrations(): readonly Migration[] {
  return readdirSync(FOLDER)
    .filter((file) => FILE_NAME.test(file))
    .sort()
    .map((file, index, files) => {
      const [, number, name] = FILE_NAME.exec(file) ?? [];
      if (name === undefined || files[index - 1]?.startsWith(`${String(number)}_`))
        throw new TypeError(`migration ${file}: expected a number of its own`);
      const text = readFileSync(new URL(file, FOLDER), 'utf8');
      return {
        number: Number(number),
        name,
        breaking: text.startsWith('--! breaking'),
        checksum: createHash('sha256').update(text).digest('hex'),
        // Functions, since replaceAll gives a meaning to "$&" and the like in a text.
        sql: (schema) =>
          text
            .replaceAll('{{schema}}', () => quoteIdentifier(schema))
            .replaceAll('{{schema_literal}}', () => quoteLiteral(schema)),
      };
    });
}

/** The whole schema as one script, for people who apply SQL by their own means. */
export function schemaSql(schema: string): string {
  const quoted = quoteIdentifier(schema);
  const steps = readMigrations().map(
    (step) =>
      `-- ${String(step.number).padStart(4, '0')}_${step.name}\n${step.sql(schema)}\n` +
      `insert into ${quoted}.migration (number, name, breaking, checksum) values (${String(step.number)}, ${quoteLiteral(step.name)}, ${String(step.breaking)}, ${quoteLiteral(step.checksum)});\n`,
  );
  return [`create schema if not exists ${quoted};\n${migrationTableSql(quoted)};\n`, ...steps].join('\n');
}

/** The table that remembers which steps were applied. */
export function migrationTableSql(quoted: string): string {
  return `create table if not exists ${quoted}.migration (
  number integer primary key,
  name text not null,
  breaking boolean not null,
  checksum text not null,
  applied_at timestamptz not null default clock_timestamp()
)`;
}
