/** The examples of the README are code that compiles: each is the body of a function in `test/examples`. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const DRIVERS = ['pg', 'postgres', 'kysely', 'drizzle', 'knex', 'typeorm', 'mikro-orm', 'prisma'];

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../../README.md');

test.each(DRIVERS)('the README shows how to enqueue with %s as it compiles', (driver) => {
  const [, body] = /: Promise<void> \{\n(.*?)\n\}\n/s.exec(read(`../../test/examples/${driver}.ts`)) ?? [];
  expect(body).toBeDefined();
  expect(readme).toContain(
    `@waybill/store/${driver}\`)\n\n\`\`\`ts\n${String(body).replaceAll(/^ {2}/gm, '')}\n\`\`\`\n`,
  );
});
