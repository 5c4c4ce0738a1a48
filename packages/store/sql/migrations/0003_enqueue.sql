-- Enqueue: one call on the caller's transaction, for every driver, for triggers and for other languages.

create function {{schema}}.reads_fresh() returns boolean language sql stable
return current_setting('transaction_isolation') in ('read committed', 'read uncommitted');

-- The guard of a key: writers of one key take it in turn until they commit, so that position order is commit order. Keys share 4,096 stripes:
-- a transaction with tens of thousands of keys would otherwise fill PostgreSQL's lock table for everybody. Sharing costs a false wait at worst.
-- Every function that takes or tries a guard must use this one stripe, and an old and a new stripe function must never run side by side.
create function {{schema}}.guard_stripe(record_key text) returns integer language sql immutable parallel safe
return (hashtextextended(record_key, 4096) & 4095)::integer;

-- The first number of the lock's pair keeps apart the guards of two schemas of one database.
create function {{schema}}.guard_space() returns integer language sql immutable parallel safe
return hashtext({{schema_literal}});

-- As before; who does not know of keys cannot contradict one.
create or replace function {{schema}}.repeats(messages json, payloads json default null) returns table (call_order bigint)
language sql stable security definer set search_path = {{schema}}, pg_temp set enable_seqscan = off set jit = off as $$
  select r.call_order from rows from (
      json_to_recordset(messages) as (id uuid, type text, version integer, record_key text, tenant text, event text, headers json),
      json_array_elements(payloads), json_array_elements(case when payloads is null then messages end)) with ordinality
      r (id, type, version, record_key, tenant, event, headers, payload, message, call_order),
    lateral (select * from message o where o.id = r.id) w join contract c on c.id = w.contract_id
  where (w.tenant, w.event_id, w.payload::text, untraced(w.headers), c.type, c.schema_version) is not distinct from
        (r.tenant, r.event, coalesce(r.payload, r.message -> 'payload')::text, untraced(r.headers), r.type, r.version)
    and coalesce(w.record_key = r.record_key, true)
$$;

-- messages: [{ id, type, version, kind, record_key, tenant, event, headers, occurred_at, due_at, written_by, payload }], in call order; only type,
-- version and payload are needed. record_key: empty for a message that has no order; left out, the message counts as written by code that does
-- not know of keys, is delivered without order and shown by the gates. payloads: the payloads in the same order, instead of the member "payload": this form alone carries \u0000.
-- transaction_id: what pg_current_xact_id() gave to the caller in its own transaction, or 'any' for any transaction that has an id by now. The call is
-- refused elsewhere, that is where a driver has lost the connection and goes on outside the transaction.
-- Contracts are looked up by scalar sub-selects, one index probe each: a join would read them all. Nested loops are off: the planner takes the
-- input for a few rows and would join thousands of them pair by pair.
-- Gives one row per message in call order; outcome: created | repeat (the same id was there with the same content, whatever its trace) | conflict (with other content).
-- It runs with the rights of its owner, so that a producer needs none on the tables, and is nobody's until it is granted.
create or replace function {{schema}}.enqueue(messages json, payloads json default null, transaction_id text default null)
returns table (id uuid, outcome text)
language plpgsql security definer
set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_nestloop = off set jit = off as $$
#variable_conflict use_column
declare
  own_id constant text := pg_current_xact_id_if_assigned()::text;
  fresh constant boolean := reads_fresh();
  given constant integer := json_array_length(messages);
  ids uuid[];
  made boolean[];
begin
  if own_id is null and transaction_id is not null or transaction_id not in (own_id, 'any') then
    raise exception 'the transaction of this enqueue is gone: its connection was lost, or it has ended' using errcode = 'WB001';
  end if;
  if payloads is not null and json_array_length(payloads) <> given then
    raise exception 'expected % payloads, got %', given, json_array_length(payloads) using errcode = 'WB002';
  end if;

  if exists (select 1 from json_to_recordset(messages) m (type text, version integer, headers json, occurred_at timestamptz, due_at timestamptz)
             where m.type is null or m.version is null or not is_legible(m.headers, m.occurred_at, m.due_at)) then
    raise exception 'each message needs a type and a version; headers are an object, and times lie in the years 1 to 9999' using errcode = 'WB002';
  end if;

  -- Contracts that nobody registered at start-up are registered here, once.
  insert into contract (type, schema_version, kind)
  select distinct on (m.type, m.version) m.type, m.version, coalesce(m.kind, 'integration-event')
  from json_to_recordset(messages) m (type text, version integer, kind text)
  where (select c.id from contract c where c.type = m.type and c.schema_version = m.version) is null
  order by m.type, m.version
  on conflict do nothing;

  -- The guards come first, sorted, and in a statement of their own: the snapshot of the next one then sees every earlier writer of these keys.
  perform pg_advisory_xact_lock(guard_space(), s.stripe) from (
    select distinct guard_stripe(m.record_key) as stripe from json_to_recordset(messages) m (record_key text)
    where m.record_key <> '' order by 1) s;

  with given_message as (
    select * from rows from (
      json_to_recordset(messages) as (id uuid, type text, version integer, record_key text, tenant text, event text, headers json,
        occurred_at timestamptz, due_at timestamptz, written_by integer),
      json_array_elements(payloads), json_array_elements(case when payloads is null then messages end)) with ordinality
      m (id, type, version, record_key, tenant, event, headers, occurred_at, due_at, written_by, payload, message, call_order)),
  -- Positions in call order: nextval above a sorted sub-select is evaluated row by row.
  numbered as materialized (
    select nextval('position_seq') as seq, g.* from (
      select coalesce(m.id, gen_random_uuid()) as id,
             (select c.id from contract c where c.type = m.type and c.schema_version = m.version) as contract_id, m.record_key, m.tenant, m.event, m.headers,
             coalesce(m.occurred_at, clock_timestamp()) as occurred_at, m.written_by,
             case when m.due_at > clock_timestamp() then m.due_at end as not_before, coalesce(m.payload, m.message -> 'payload') as payload
      from given_message m
      order by m.call_order) g),
  -- Ids in order, since whoever inserts an id waits for a transaction that inserts it too: batches that name the same ids never wait in a circle.
  written as (
    insert into message (seq, id, contract_id, written_by, occurred_at, tenant, event_id, headers, payload, record_key)
    select seq, id, contract_id, written_by, occurred_at, tenant, event, headers, payload, record_key from numbered order by id, seq
    on conflict (id) do nothing
    returning seq),
  ranked as materialized (
    select n.seq, n.contract_id, n.record_key, n.not_before,
           coalesce(n.record_key, '') = '' or row_number() over (partition by n.record_key order by n.seq) = 1 as first_of_key
    from numbered n join written w on w.seq = n.seq),
  -- Outside READ COMMITTED the snapshot is old and a look would lie: such a row goes in ready and unchecked, and the claim compares it with
  -- its elders. Without the look, serializable writers of different keys do not abort each other either.
  placed as (
    select r.*, case when coalesce(r.record_key, '') = '' then true when not r.first_of_key then false when not fresh then true
      -- A scalar look, since "exists" may be answered by a hash of the whole table, however large.
      else (select o.position from delivery o
            where o.record_key >= r.record_key collate "C" and o.record_key <= r.record_key collate "C" and o.record_key <> ''
            order by o.record_key, o.position limit 1) is null end as head
    from ranked r),
  put as (
    insert into delivery (position, seq, contract_id, record_key, ready_xid, due_at, not_before, checked)
    select seq, seq, contract_id, record_key, case when head and not_before is null then pg_current_xact_id() end,
           case when head then not_before end, not_before, fresh or not head or coalesce(record_key, '') = ''
    from placed order by seq)
  select array_agg(n.id order by n.seq), array_agg(w.seq is not null order by n.seq) into ids, made
  from numbered n left join written w on w.seq = n.seq;

  if true = all (made) then
    return query select u.id, 'created' from unnest(ids) with ordinality u (id, n) order by u.n;
  else
    return query select u.id, case when u.made then 'created' when r.call_order is not null then 'repeat' else 'conflict' end
      from unnest(ids, made) with ordinality u (id, made, n) left join repeats(messages, payloads) r on r.call_order = u.n order by u.n;
  end if;
end $$;
revoke execute on function {{schema}}.enqueue from public;
