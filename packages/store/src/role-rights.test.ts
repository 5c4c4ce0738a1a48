/** Roles of least privilege: what each may beyond its work, and what a caller can do to the functions that run with the rights of their owner. */
import { afterAll, afterEach, describe, expect, test } from 'vitest';

import { ParcelMoved } from '../test/messages.ts';
import { openRoles } from '../test/roles.ts';
import { enqueue } from './drivers/pg.ts';
import type { Roles } from './statements/grants.ts';

const { superuser, sessions, names, close } = await openRoles();
const ROLES: readonly (keyof Roles)[] = ['producer', 'consumer', 'dispatcher', 'operator'];
const ID = '0190aaaa-0000-7000-8000-00000000000a';
await superuser.query(
  `select waybill.enqueue('[{"type": "test.parcel-moved", "version": 2, "record_key": "k", "id": "${ID}"}]', '[{"secret": 42}]')`,
);

afterEach(async () => {
  for (const session of Object.values(sessions)) {
    if (session.native.getTransactionStatus() !== 'I') await session.rollback();
    await session.query('reset all; discard temp');
  }
});
afterAll(close);

const A_CONTRACT = `('test.other', 1, 'integration-event'`;
const A_DEATH = `(1, 1, 1, gen_random_uuid(), 1, 'refused', ''`;
const A_MESSAGE = `'[{"type": "t", "version": 1, "payload": 1}]'`;

/** Acts, and who may do them besides the owner. */
const ACTS: Readonly<Record<string, readonly [sql: string, ...may: (keyof Roles)[]]>> = {
  'reads messages': ['select * from waybill.message', 'dispatcher', 'operator'],
  'copies messages': ['copy waybill.message to stdout', 'dispatcher', 'operator'],
  'reads the view': ['select * from waybill.record', 'dispatcher', 'operator'],
  'reads what operators did': ['select * from waybill.audit', 'operator'],
  'reads the inbox': ['select * from waybill.inbox', 'operator'],
  'asks who keeps a version back': [`select * from waybill.version_blockers('t', 1)`, 'operator'],

  enqueues: [`select * from waybill.enqueue(${A_MESSAGE})`, 'producer', 'dispatcher'],
  'enqueues one': [`select waybill.enqueue_one(${A_MESSAGE}::json ->> 0)`, 'producer', 'dispatcher'],
  'enqueues past the checks': [
    `set local search_path = waybill; select enqueue_shortly('{"type": "test.parcel-moved", "version": 2}', '1', null)`,
  ],
  'enqueues rows past the checks': [`set local search_path = waybill; select * from enqueue_rows(${A_MESSAGE})`],
  'enters the inbox': [`select waybill.inbox('c', 'm')`, 'consumer', 'dispatcher'],
  'enters the inbox past its function': [`insert into waybill.inbox (consumer, message_id) values ('c', 'm')`],
  'wakes dispatchers': ['select waybill.give_hint()', 'dispatcher', 'operator'],

  'writes a message': [
    `insert into waybill.message (seq, id, contract_id, occurred_at, payload) values (9, gen_random_uuid(), 1, now(), '1')`,
  ],
  'changes a payload': [`update waybill.message set payload = '1'`],
  'deletes a message': ['delete from waybill.message', 'operator'],
  'empties a table': ['truncate waybill.message'],
  'moves a delivery': ['update waybill.delivery set due_at = null', 'dispatcher', 'operator'],
  'kills a message': [
    `insert into waybill.dead_letter (seq, position, contract_id, failed_by, attempt, reason, error) values ${A_DEATH})`,
    'dispatcher',
  ],
  'changes why a message died': [`update waybill.dead_letter set error = ''`],
  'takes a position': [`select nextval('waybill.position_seq')`, 'operator'],
  'winds positions back': [`select setval('waybill.position_seq', 1)`],
  'locks everybody out': ['lock table waybill.contract in access exclusive mode'],

  'registers a contract': [
    `insert into waybill.contract (type, schema_version, kind) values ${A_CONTRACT})`,
    'producer',
    'dispatcher',
  ],
  'chooses the number of a contract': [
    `insert into waybill.contract (type, schema_version, kind, id) values ${A_CONTRACT}, 99)`,
  ],
  'registers a retired contract': [
    `insert into waybill.contract (type, schema_version, kind, retired_at) values ${A_CONTRACT}, now())`,
  ],
  'registers a contract that holds': [
    `insert into waybill.contract (type, schema_version, kind, head_policy) values ${A_CONTRACT}, 'hold')`,
  ],
  'makes a contract hold': [`update waybill.contract set head_policy = 'hold'`, 'dispatcher'],
  'retires a contract': ['update waybill.contract set retired_at = now()', 'operator'],
  'changes the kind of a contract': [`update waybill.contract set kind = 'provider-side-effect'`],
  'registers a writer': [`insert into waybill.writer (build, generation, writes) values ('b', 1, '{}')`, 'producer'],
  'chooses the number of a writer': [
    `insert into waybill.writer (id, build, generation, writes) overriding system value values (99, 'b', 1, '{}')`,
  ],
  'registers a writer of the future': [
    `insert into waybill.writer (build, generation, writes, seen_at) values ('b', 1, '{}', 'infinity')`,
  ],
  'calls a writer by another name': [`update waybill.writer set build = 'b'`],
  'forgets a writer': ['delete from waybill.writer'],
  'registers a dispatcher': [
    `insert into waybill.dispatcher (id, build, capabilities, lease_ms) values (gen_random_uuid(), 'b', '{}', 1)`,
    'dispatcher',
  ],
  'calls a dispatcher by another name': [`update waybill.dispatcher set build = 'b'`],
  'chooses the number of a policy': [
    'insert into waybill.policy (id, max_attempts, base_ms, factor, cap_ms) values (99, 1, 1, 1, 1)',
  ],

  'asks a dispatcher to drain, or lets it off': ['update waybill.dispatcher set drain_asked_at = null', 'operator'],
  'pauses a type': [`insert into waybill.pause (type, actor, reason) values ('t', 'a', 'r')`, 'operator'],
  'lets a type go on': ['delete from waybill.pause', 'operator'],
  'allows a write': [
    `insert into waybill.write_override (type, version, actor, reason, until) values ('t', 1, 'a', 'r', now())`,
    'operator',
  ],
  'kills a message in the name of an operator': [
    `insert into waybill.dead_letter (seq, position, contract_id, failed_by, attempt, reason, error, discarded_at, discarded_by, discard_reason)
     values ${A_DEATH}, now(), 'a', 'r')`,
  ],
  'rewrites history': [`update waybill.audit set actor = 'nobody'`],
  'forgets what operators did': ['delete from waybill.replay'],
  'empties what operators did': ['truncate waybill.audit'],

  'claims a step of the schema': [
    `insert into waybill.migration (number, name, breaking, checksum) values (99, '', true, '')`,
  ],
  'creates a table': ['create table waybill.mine (id integer)'],
  'creates a type': ['create type waybill.mine as (id integer)'],
  'creates an operator': ['create operator waybill.= (leftarg = text, rightarg = text, function = texteq)'],
  'replaces a function': ['create or replace function waybill.reads_fresh() returns boolean language sql return true'],
  'puts a trigger on a table': [
    `create trigger mine before insert on waybill.contract for each row execute function suppress_redundant_updates_trigger()`,
  ],
  'becomes the owner': [`set role "${names.owner}"`],
  'joins the owner': [`grant "${names.owner}" to current_user`],
  'switches triggers off': ['set session_replication_role = replica'],
};

describe.each(ROLES)('S08: a %s', (role) => {
  test.each(Object.entries(ACTS))('S08: %s only where it may', async (_act, [sql, ...may]) => {
    const session = sessions[role];
    await session.begin();
    const answer = session.query(sql);
    if (may.includes(role)) await answer;
    else await expect(answer).rejects.toMatchObject({ code: '42501' });
  });
});

/** Two messages of a key by the short way, then two by the long one, the last with an id that is taken. */
async function enqueueAll(): Promise<readonly string[]> {
  const { producer } = sessions;
  await producer.begin();
  for (const step of [1, 2]) await enqueue(producer.native, ParcelMoved, { id: 'a', step });
  const rows = await producer.query(
    `select outcome from waybill.enqueue('[{"type": "test.parcel-moved", "version": 2, "record_key": "Parcel/a"},
       {"type": "test.parcel-moved", "version": 2, "record_key": "Parcel/b", "id": "${ID}"}]', '[1, 2]')`,
  );
  await producer.commit();
  const stood = await superuser.query(
    `select d.record_key || case when d.ready_xid is not null then ' ready' else ' waiting' end as stood from waybill.delivery d
     join waybill.message m using (seq) where m.id <> '${ID}' order by d.position`,
  );
  await superuser.query(
    `delete from waybill.delivery where record_key like 'Parcel/%'; delete from waybill.message where id <> '${ID}'`,
  );
  return [...rows, ...stood].map((row) => String(row['outcome'] ?? row['stood']));
}
const AS_EVER = ['created', 'conflict', 'Parcel/a ready', 'Parcel/a waiting', 'Parcel/a waiting'];

describe('F095 S08: hostile surroundings of a producer', () => {
  test('F095: names of the caller never stand for those of the outbox', async () => {
    const { producer } = sessions;
    await superuser.query(`create schema evil authorization "${names.producer}"`);
    await producer.query(`
      create function evil.trap() returns boolean language plpgsql as $$ begin raise exception 'run as %', current_user; end $$;
      create function evil.reads_fresh() returns boolean language sql return evil.trap();
      create function evil.guard_stripe(text) returns integer language sql return evil.trap()::integer;
      create function evil.is_legible(json, timestamptz, timestamptz) returns boolean language sql return evil.trap();
      create function evil.is_welcome(integer) returns boolean language sql return evil.trap();
      create function evil.enqueue_shortly(json, json, text) returns uuid language plpgsql as $$ begin perform evil.trap(); end $$;
      create function evil.clock_timestamp() returns timestamptz language plpgsql as $$ begin perform evil.trap(); end $$;
      create function evil.same(text, text) returns boolean language sql return evil.trap();
      create function evil.same(uuid, uuid) returns boolean language sql return evil.trap();
      create function evil.later(timestamptz, timestamptz) returns boolean language sql return evil.trap();
      create operator evil.= (leftarg = text, rightarg = text, function = evil.same);
      create operator evil.= (leftarg = uuid, rightarg = uuid, function = evil.same);
      create operator evil.> (leftarg = timestamptz, rightarg = timestamptz, function = evil.later);
      create domain evil.uuid as text; create type evil.timestamptz as (a integer);
      create temp table message (like pg_class); create temp table delivery (like pg_class); create temp table contract (id integer);
      create temp table dispatcher (id integer); create temp table json (id integer); create domain pg_temp.uuid as text;
      create temp sequence position_seq;
      set search_path = evil, pg_temp, pg_catalog`);
    expect(await enqueueAll()).toEqual(AS_EVER);
    await producer.query(`set search_path = ''`);
    expect(await enqueueAll()).toEqual(AS_EVER);
  });

  test.each([
    ...["plpgsql.extra_errors = 'all'", 'transform_null_equals = on', 'array_nulls = off', 'row_security = off'],
    ...['standard_conforming_strings = off', "DateStyle = 'SQL, DMY'", "TimeZone = 'Pacific/Auckland'"],
    ...["timezone_abbreviations = 'Australia'", 'client_encoding = LATIN1', "IntervalStyle = 'sql_standard'"],
    ...[
      'enable_indexscan = off',
      'gin_fuzzy_search_limit = 1',
      'plan_cache_mode = force_custom_plan',
      "work_mem = '64kB'",
    ],
    ...[
      'geqo_threshold = 2',
      'from_collapse_limit = 1',
      'join_collapse_limit = 1',
      'default_transaction_deferrable = on',
    ],
    ...['check_function_bodies = off', 'quote_all_identifiers = on', 'max_parallel_workers_per_gather = 8'],
  ])('F095 S09: %s of a caller changes nothing', async (setting) => {
    await sessions.producer.query('discard plans');
    await sessions.producer.query(`set ${setting}`);
    expect(await enqueueAll()).toEqual(AS_EVER);
  });
});
