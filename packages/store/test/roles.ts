/** A database whose schema belongs to an ordinary role, and a session of each role with the documented grants. */
import { randomBytes } from 'node:crypto';
import { testDatabase } from '@waybill/local-postgres/vitest';

import { migrate } from '../src/migrate.ts';
import { grantsSql } from '../src/statements/grants.ts';
import { openStore } from '../src/store.ts';
import { openSession, type Session } from './session.ts';

const ROLES = ['owner', 'producer', 'consumer', 'dispatcher', 'operator'] as const;
type PerRole<T> = Readonly<Record<(typeof ROLES)[number], T>>;

export async function openRoles() {
  // Roles belong to the whole server, which other test files use too.
  const run = randomBytes(4).toString('hex');
  const names: PerRole<string> = {
    owner: `Owner ${run}`,
    producer: `Producer ${run}`,
    consumer: `Consumer ${run}`,
    dispatcher: `Dispatcher ${run}`,
    operator: `Operator ${run}`,
  };
  const database = await testDatabase({ empty: true });
  const superuser = await openSession(database.url);

  const logIn = async (name: string): Promise<Session> => {
    await superuser.query(`create role "${name}" login password '${run}'`);
    const url = new URL(database.url);
    url.username = encodeURIComponent(name);
    url.password = run;
    return openSession(url.href);
  };
  const sessions: PerRole<Session> = {
    owner: await logIn(names.owner),
    producer: await logIn(names.producer),
    consumer: await logIn(names.consumer),
    dispatcher: await logIn(names.dispatcher),
    operator: await logIn(names.operator),
  };
  const { producer, consumer, dispatcher, operator } = names;
  const granted = { producer, consumer, dispatcher, operator };
  await superuser.query(`create schema waybill authorization "${names.owner}"`);
  await migrate(openStore(sessions.owner));
  await sessions.owner.query(grantsSql('waybill', granted));

  const close = async (): Promise<void> => {
    for (const role of ROLES) await sessions[role].close();
    for (const role of ROLES)
      await superuser.query(`drop owned by "${names[role]}" cascade; drop role "${names[role]}"`);
    await superuser.close();
    await database[Symbol.asyncDispose]();
  };
  return { superuser, sessions, names, granted, close };
}
