import { quoteIdentifier } from '../identifier.ts';

/** Who may do what. The owner of the schema, who runs migrations, may do everything. */
export interface Roles {
  /** May enqueue, and register itself with the contracts that it writes. Sees no message. */
  readonly producer?: string;
  /** May enter messages in the inbox, and nothing else. */
  readonly consumer?: string;
  /** May claim and settle, read messages, and enqueue. Cannot change or delete a message, nor touch what operators did. */
  readonly dispatcher?: string;
  /** May read everything, replay, discard and purge. Cannot write messages, nor change what operators did. */
  readonly operator?: string;
}

// FOR UPDATE wants the right to update one column at least.
const TO_LOCK = 'update (position)';

// Without the numbers that the database gives out, and without what operators decide.
const TO_REGISTER = 'insert (type, schema_version, kind, registered_by)';

/** Rights on tables beyond usage of the schema, by role. */
const TABLE_RIGHTS: Readonly<Record<'producer' | 'dispatcher' | 'operator', Readonly<Record<string, string>>>> = {
  producer: {
    contract: `select, ${TO_REGISTER}`,
    writer: 'select, insert (build, generation, writes), update (seen_at, left_at)',
    migration: 'select',
  },
  dispatcher: {
    contract: `select, ${TO_REGISTER}, update (head_policy)`,
    policy: 'select, insert (max_attempts, base_ms, factor, cap_ms)',
    message: 'select',
    delivery: 'select, insert, update, delete',
    dispatched: 'select, insert',
    dead_letter: 'select, insert (seq, position, contract_id, failed_by, attempt, reason, error)',
    dispatcher: `select, insert (id, build, capabilities, unreadable, lease_ms, heartbeat_ms, routing, hands_over, writers),
      update (seen_at, steady_since, in_hand, left_at, draining, pulls, wants_hints, capabilities, unreadable)`,
    migration: 'select',
    pause: 'select',
    record: 'select',
    drain_lease: 'select, update',
    gate_override: 'select',
    writer: 'select',
    unreadable: 'select, insert, update',
  },
  operator: {
    message: 'delete',
    delivery: 'insert, update, delete',
    dispatched: `delete, ${TO_LOCK}`,
    dead_letter: `delete, ${TO_LOCK}, update (replayed_at, replayed_as, discarded_at, discarded_by, discard_reason)`,
    inbox: `delete, update (seen_at)`,
    pause: 'insert, delete',
    replay: 'insert',
    audit: 'insert',
    gate_override: 'insert',
    reader: 'insert, update (until)',
    version_pin: 'insert, update, delete',
    write_override: 'insert',
    contract: 'update (retired_at, revision)',
    dispatcher: 'update (drain_asked_at)',
    unreadable: 'delete',
  },
};

/** Functions that run with the rights of their owner. Only who is granted one has it. */
const DEFINERS = ['enqueue', 'enqueue_one', 'repeats', 'inbox'] as const;

/**
 * The grants of least privilege as a script, for the owner of the schema to run after every migration: new tables and functions come without.
 * A role that is left out gets nothing.
 */
export function grantsSql(schema: string, roles: Roles): string {
  const quoted = quoteIdentifier(schema);
  const definers = (names: readonly string[]): string => names.map((name) => `${quoted}.${name}`).join(', ');
  const tables = (role: keyof typeof TABLE_RIGHTS, to: string): string[] =>
    Object.entries(TABLE_RIGHTS[role]).map(([table, rights]) => `grant ${rights} on ${quoted}.${table} to ${to};`);

  const grants: Readonly<Record<keyof Roles, (to: string) => readonly string[]>> = {
    producer: (to) => [
      `grant execute on function ${definers(['enqueue', 'enqueue_one', 'repeats', 'position_state', 'version_standings'])} to ${to};`,
      ...tables('producer', to),
    ],
    consumer: (to) => [`grant execute on function ${definers(['inbox'])} to ${to};`],
    // Other functions have the rights of their caller, so that they give none.
    dispatcher: (to) => [`grant execute on all functions in schema ${quoted} to ${to};`, ...tables('dispatcher', to)],
    operator: (to) => [
      `grant execute on all functions in schema ${quoted} to ${to};`,
      `revoke execute on function ${definers(DEFINERS)} from ${to};`,
      `grant select on all tables in schema ${quoted} to ${to};`,
      `grant usage on sequence ${quoted}.position_seq to ${to};`,
      ...tables('operator', to),
    ],
  };
  return [
    `revoke all on schema ${quoted} from public;`,
    `revoke execute on all functions in schema ${quoted} from public;`,
    // The names of an object literal above: its keys are those of Roles.
    ...(Object.keys(grants) as (keyof Roles)[]).flatMap((role) => {
      const name = roles[role];
      if (name === undefined) return [];
      const to = quoteIdentifier(name, role);
      return [`-- ${role}`, `grant usage on schema ${quoted} to ${to};`, ...grants[role](to)];
    }),
    '',
  ].join('\n');
}
