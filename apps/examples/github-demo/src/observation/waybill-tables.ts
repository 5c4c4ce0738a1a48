import type pg from 'pg';

/**
 * The only SQL of the example on Waybill's own tables, and all of it only looks. The demo has to prove what happens inside, so it
 * cannot leave that to the programs it checks; an application has no use for any of this.
 */

/**
 * Writes every claim down as it happens, record by record: the head that is leased and the followers of its run. Whether the
 * claimer may read a record is decided from the registry at that moment.
 */
const CLAIM_LOG = /* sql */ `
create schema claim_log;
create table claim_log.claimed (
  owner uuid not null,
  position bigint not null,
  contract_id integer not null,
  readable boolean not null
);
create function claim_log.note() returns trigger language plpgsql as $$
begin
  insert into claim_log.claimed (owner, position, contract_id, readable)
  select new.lease_owner, run.position, run.contract_id, coalesce(run.contract_id = any (reader.capabilities), false)
  from (
    select new.position, new.contract_id
    union all
    select follower.position, follower.contract_id from waybill.delivery follower
    where new.record_key <> '' and follower.record_key = new.record_key and follower.position > new.position and follower.position <= new.run_to
  ) run
  left join waybill.dispatcher reader on reader.id = new.lease_owner;
  return null;
end $$;
create trigger claim_log after update on waybill.delivery for each row
  when (new.lease_owner is not null and (old.lease_owner is distinct from new.lease_owner or old.fence <> new.fence))
  execute function claim_log.note();
`;

/** Reads what Waybill's tables say. */
export interface Observer {
  /** How many records are not terminal, by schema version. Asked often, so it reads the live rows alone. */
  backlog(): Promise<readonly Backlog[]>;
  /** The ids of the records that no live dispatcher can read. */
  waitingForReader(): Promise<readonly string[]>;
  /** Whether a dispatcher is in the registry of those who read records. */
  isReader(dispatcherId: string): Promise<boolean>;
  /** How many records a dispatcher holds under a lease right now. */
  leasedBy(dispatcherId: string): Promise<number>;
  /** The ids of the dead letters. */
  deadLetters(): Promise<readonly string[]>;
  /** Claims of records whose (type, version) the claimer cannot read, and all claims. */
  claims(): Promise<{ readonly total: number; readonly unreadable: number }>;
}

export interface Backlog {
  readonly version: number;
  readonly records: number;
}

/** Installs the log of claims and returns what looks at Waybill's tables. */
export async function installObserver(pool: pg.Pool): Promise<Observer> {
  await pool.query(CLAIM_LOG);
  return {
    backlog: async () => {
      const { rows } = await pool.query<Backlog>(/* sql */ `
        select contract.schema_version as version, count(*)::integer as records
        from waybill.delivery join waybill.contract on contract.id = delivery.contract_id
        where not delivery.settled group by 1`);
      return rows;
    },
    waitingForReader: () => idsWhere(pool, "pending_reason = 'no-reader'"),
    isReader: async (dispatcherId) => {
      const { rows } = await pool.query('select from waybill.dispatcher where id = $1 and not draining', [
        dispatcherId,
      ]);
      return rows.length > 0;
    },
    leasedBy: async (dispatcherId) => {
      const { rows } = await pool.query<{ records: number }>(
        'select count(*)::integer as records from waybill.record where lease_owner = $1',
        [dispatcherId],
      );
      return rows[0]?.records ?? 0;
    },
    deadLetters: () => idsWhere(pool, "state = 'dead-letter'"),
    claims: async () => {
      const { rows } = await pool.query<{ total: number; unreadable: number }>(/* sql */ `
        select count(*)::integer as total, (count(*) filter (where not readable))::integer as unreadable from claim_log.claimed`);
      return rows[0] ?? { total: 0, unreadable: 0 };
    },
  };
}

async function idsWhere(pool: pg.Pool, condition: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(`select id from waybill.record where ${condition}`);
  return rows.map(({ id }) => id);
}
