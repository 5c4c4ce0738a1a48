import { isCode, isTest } from './files.ts';
import { enforce } from './rule.ts';
import { importsOf } from './syntax.ts';

interface Room {
  readonly modules: RegExp;
  readonly path: RegExp;
  /** Types leave nothing in the program, so that naming one binds nobody to be installed. */
  readonly typesEverywhere: RegExp;
}

const NOWHERE = /^$/;

/** The room of a broker's client: its transport, the benchmark that compares the two, and the consumer of the example. */
function roomOf(broker: string): RegExp {
  return new RegExp(
    `^(packages/transports/src/${broker}/|apps/bench/src/broker/${broker}\\.ts$|apps/examples/brokers/src/${broker}/)`,
  );
}

const ROOMS: readonly Room[] = [
  { modules: /^undici$/, path: /^packages\/transports\/src\/http-webhook\//, typesEverywhere: NOWHERE },
  { modules: /^(@nats-io\/.+|nats)$/, path: roomOf('nats-jetstream'), typesEverywhere: NOWHERE },
  { modules: /^amqp/, path: roomOf('rabbitmq'), typesEverywhere: NOWHERE },
  { modules: /^(?!\.).*kafka/, path: roomOf('kafka'), typesEverywhere: NOWHERE },
  {
    modules: /^(redis|ioredis|@redis\/.+)$/,
    path: roomOf('redis-streams'),
    typesEverywhere: NOWHERE,
  },
  {
    modules: /^@opentelemetry\//,
    path: /^(packages\/store\/src\/opentelemetry\.ts$|apps\/dispatcher\/src\/(metrics\/opentelemetry|tracing\/))/,
    typesEverywhere: NOWHERE,
  },
  { modules: /^prom-client$/, path: /^apps\/dispatcher\/src\/metrics\/prometheus/, typesEverywhere: NOWHERE },
  {
    modules: /^(pg|pg-.+|postgres|knex|kysely|drizzle-orm)(\/.*)?$/,
    path: /^(packages\/store\/src\/drivers\/|apps\/(local-postgres|bench|examples\/[^/]+)\/src\/)/,
    // In-database handlers get the client of the attempt's transaction, and their types say so.
    typesEverywhere: /^apps\/dispatcher\/src\//,
  },
];

enforce({
  title: 'D03 T01: a client library is imported in its own room',
  mend: "Move what needs the client to packages/transports/src/<vendor> or packages/store/src/drivers, behind that room's port.",
  covers: (path) => isCode(path) && !isTest(path),
  breaches: (file) =>
    importsOf(file).flatMap(({ specifier, line, typeOnly }) => {
      const room = ROOMS.find(({ modules }) => modules.test(specifier) && !specifier.startsWith('@waybill'));
      if (room === undefined || room.path.test(file.path)) return [];
      return typeOnly && room.typesEverywhere.test(file.path) ? [] : [{ line, what: specifier }];
    }),
  caught: [
    { path: 'packages/store/src/claimer.ts', text: "import { Pool } from 'pg';" },
    { path: 'packages/store/src/claimer.ts', text: "import type { Pool } from 'pg';" },
    { path: 'apps/dispatcher/src/x.ts', text: "import { Pool } from 'pg';" },
    { path: 'apps/dispatcher/src/x.ts', text: "import { Agent } from 'undici';" },
    { path: 'packages/transports/src/kafka/x.ts', text: "import { connect } from 'amqplib';" },
    { path: 'packages/transports/src/x.ts', text: "const client = await import('@redis/client');" },
    { path: 'packages/store/src/x.ts', text: "import { trace } from '@opentelemetry/api';" },
    { path: 'apps/dispatcher/src/run/x.ts', text: "import { Registry } from 'prom-client';" },
  ],
  allowed: [
    { path: 'packages/store/src/drivers/pg.ts', text: "import pg from 'pg';" },
    { path: 'packages/transports/src/http-webhook/send.ts', text: "import { Agent } from 'undici';" },
    { path: 'apps/dispatcher/src/routes/handle.ts', text: "import type { PoolClient } from 'pg';" },
    { path: 'apps/dispatcher/src/x.ts', text: "import { connectPg } from '@waybill/store/pg';" },
    { path: 'packages/store/src/x.test.ts', text: "import pg from 'pg';" },
  ],
});
