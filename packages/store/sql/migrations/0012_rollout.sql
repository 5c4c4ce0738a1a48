-- Rollouts and rollbacks: who reads what, which versions may be written, which are retired.

create index dispatcher_seen on {{schema}}.dispatcher (seen_at);

-- Readers that do not run all the time, and builds that one may have to roll back to. They count until they expire or are withdrawn.
create table {{schema}}.reader (
  id bigint generated always as identity primary key,
  build text not null,
  reads jsonb not null, -- type -> versions, as "readers" in a manifest
  actor text not null,
  reason text not null,
  declared_at timestamptz not null default clock_timestamp(),
  until timestamptz not null,
  constraint reader_reads_form check (jsonb_typeof(reads) = 'object')
);
create index reader_until on {{schema}}.reader (until);

-- The highest version of a type that is written for now: by the keys below the percentage; the others stay one version below.
create table {{schema}}.version_pin (
  type text collate "C" primary key,
  version integer not null,
  percent integer not null default 100,
  actor text not null,
  reason text not null,
  pinned_at timestamptz not null default clock_timestamp(),
  constraint version_pin_version_form check (version >= 1),
  constraint version_pin_percent_form check (percent between 0 and 100)
);

-- "Write it anyway": an operator's word that a version may be written although somebody cannot read it, until it expires.
create table {{schema}}.write_override (
  id bigint generated always as identity primary key,
  type text collate "C" not null,
  version integer not null,
  actor text not null,
  reason text not null,
  granted_at timestamptz not null default clock_timestamp(),
  until timestamptz not null
);
create index write_override_pair on {{schema}}.write_override (type, version, until);

-- revision: grows with everything that an operator decides about the type, so that a decision can name what it has seen.
alter table {{schema}}.contract
  add column revision integer not null default 1,
  add column retired_at timestamptz;

-- "Which live records carry this version?" needs those that wait behind others of their key too.
create index delivery_waiting on {{schema}}.delivery (contract_id, position) where ready_xid is null and due_at is null and not settled;

-- The place of a key in a ramp, from 0 to 99: the same for every message of the key, and in every program that computes it.
create function {{schema}}.ramp_place(record_key text) returns integer language sql immutable parallel safe
return (get_byte(sha256(convert_to(record_key, 'UTF8')), 0) * 256 + get_byte(sha256(convert_to(record_key, 'UTF8')), 1)) % 100;

-- The highest version that a key may be written in under a pin.
create function {{schema}}.version_ceiling(pin {{schema}}.version_pin, record_key text) returns integer language sql immutable
return pin.version - case when {{schema}}.ramp_place(record_key) < pin.percent then 0 else 1 end;

-- The first number of the lock's pair under which writers of a contract hold off its retirement.
create function {{schema}}.contract_space() returns integer language sql immutable parallel safe
return hashtext('contract of ' || {{schema_literal}});

-- Who cannot read a version, and so keeps it from being written. A build that reads no version of the type has no say about it. While no build
-- that knows the type is there, the last ones that were seen stand for it. Before the first registration ever, nobody keeps anything back.
-- source: dispatcher | last-seen | declared | nobody (there are builds, but none has ever read the type).
create function {{schema}}.version_blockers(of_type text, of_version integer)
returns table (source text, id text, build text)
language plpgsql stable set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  moment constant timestamptz := clock_timestamp();
  versions constant integer[] := array(select c.id from contract c where c.type = of_type);
  wanted constant integer := coalesce((select c.id from contract c where c.type = of_type and c.schema_version = of_version), 0);
  last_seen timestamptz;
  declared boolean;
begin
  return query
  select 'declared', r.id::text, r.build from reader r
  where r.until > moment and r.reads ? of_type and not r.reads -> of_type @> to_jsonb(of_version) order by r.id;

  if exists (
    select from dispatcher d where d.seen_at > moment - interval '1 hour' and counts(d) and d.capabilities && versions)
  then
    return query
    select 'dispatcher', d.id::text, d.build from dispatcher d
    where d.seen_at > moment - interval '1 hour' and counts(d) and d.capabilities && versions and wanted <> all (d.capabilities)
    order by d.started_at, d.id;
    return;
  end if;

  last_seen := (select d.seen_at from dispatcher d where d.capabilities && versions order by d.seen_at desc limit 1);
  if last_seen is not null then
    return query
    select distinct on (d.build) 'last-seen', d.id::text, d.build from dispatcher d
    where d.seen_at > last_seen - greatest(interval '30 seconds', d.heartbeat_ms * interval '12 milliseconds')
      and d.seen_at > last_seen - interval '1 hour' and d.capabilities && versions and wanted <> all (d.capabilities)
    order by d.build, d.seen_at desc;
    return;
  end if;

  declared := exists (select from reader r where r.until > moment and r.reads ? of_type);
  if not declared and (exists (select from dispatcher order by seen_at limit 1) or exists (select from reader order by until limit 1)) then
    return query select 'nobody', '', '';
  end if;
end $$;

-- Why these messages may not be written, if so: the first pair that may not, and the word for it (retired | pinned | unreadable).
create function {{schema}}.write_refusal(messages json, out type text, out version integer, out reason text)
language plpgsql stable set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  pair record;
begin
  for pair in
    select m.type, m.version, m.anyway, (select c.retired_at from contract c where c.type = m.type and c.schema_version = m.version) is not null as retired,
      (select p from version_pin p where p.type = m.type) as pin
    from (select distinct m.type, m.version, coalesce(m.when_unreadable, '') = 'write-anyway' as anyway
          from json_to_recordset(messages) m (type text, version integer, when_unreadable text)) m
  loop
    reason := case
      when pair.retired then 'retired'
      when pair.pin is not null and exists (
        select from json_to_recordset(messages) m (id uuid, type text, version integer, record_key text)
        where m.type = pair.type and m.version = pair.version
          and m.version > version_ceiling(pair.pin, coalesce(nullif(m.record_key, ''), m.id::text, ''))) then 'pinned'
      when pair.anyway and exists (
        select from write_override o where o.type = pair.type and o.version = pair.version and o.until > clock_timestamp()) then null
      when exists (select from version_blockers(pair.type, pair.version)) then 'unreadable' end;
    if reason is not null then
      type := pair.type;
      version := pair.version;
      return;
    end if;
  end loop;
end $$;

-- Whether a contract may be written, by a quick look that answers the usual case: it is not retired and not pinned, and every running dispatcher
-- reads it, or none ever ran. "No" only means that the long way has to be gone. One statement after the other, since each index scan takes 27 kB for as
-- long as its statement runs: from 128 kB on, every call would ask the operating system for memory and give it back, which costs more than the looks.
create function {{schema}}.is_welcome(of_contract integer) returns boolean language plpgsql as $$
#variable_conflict use_column
declare
  all_read constant boolean := (
    select bool_and(of_contract = any (d.capabilities)) from dispatcher d where d.seen_at > statement_timestamp() - interval '1 hour' and counts(d));
begin
  if all_read is null then
    if (select d.seen_at from dispatcher d order by d.seen_at desc limit 1) is not null or (select r.until from reader r order by r.until limit 1) is not null then
      return false;
    end if;
  elsif not all_read or (select r.until from reader r where r.until > clock_timestamp() order by r.until limit 1) is not null then
    return false;
  end if;
  return coalesce((
    select c.retired_at is null and (select p.version from version_pin p where p.type = c.type) is null from contract c where c.id = of_contract), false);
end $$;

-- One message of a known contract, which most calls bring, in the transaction that was meant: the same as enqueue_rows in a shorter way. Gives its id,
-- or null where it has written nothing, for whatever reason: the long way knows it.
create function {{schema}}.enqueue_shortly(message json, payload json, transaction_id text) returns uuid language plpgsql as $$
#variable_conflict use_column
declare
  one record;
  of_contract integer;
  place bigint;
  not_before timestamptz;
  head boolean := true;
  locked text;
begin
  if not reads_fresh() or transaction_id is not null
     and (pg_current_xact_id_if_assigned() is null or transaction_id not in (pg_current_xact_id_if_assigned()::text, 'any'))
  then
    return null;
  end if;
  select * into one from json_to_record(message) m (id uuid, type text, version integer, record_key text, tenant text, event text,
    headers json, occurred_at timestamptz, due_at timestamptz, written_by integer);
  of_contract := (select c.id from contract c where c.type = one.type and c.schema_version = one.version);
  if of_contract is null or not is_legible(one.headers, one.occurred_at, one.due_at) then return null; end if;
  locked := pg_advisory_xact_lock_shared(contract_space(), of_contract)::text;
  if not is_welcome(of_contract) then return null; end if;

  if one.record_key <> '' then locked := pg_advisory_xact_lock(guard_space(), guard_stripe(one.record_key))::text; end if;
  place := nextval('position_seq');
  one.id := coalesce(one.id, gen_random_uuid());
  insert into message (seq, id, contract_id, written_by, occurred_at, tenant, event_id, headers, payload, record_key)
  values (place, one.id, of_contract, one.written_by, coalesce(one.occurred_at, clock_timestamp()), one.tenant, one.event, one.headers,
    coalesce(payload, message -> 'payload'), one.record_key)
  on conflict (id) do nothing;
  if not found then return null; end if;

  if one.due_at > clock_timestamp() then not_before := one.due_at; end if;
  if one.record_key <> '' then
    head := (
      select o.position from delivery o
      where o.record_key >= one.record_key collate "C" and o.record_key <= one.record_key collate "C" and o.record_key <> ''
      order by o.record_key, o.position limit 1) is null;
  end if;
  insert into delivery (position, seq, contract_id, record_key, ready_xid, due_at, not_before)
  values (place, place, of_contract, one.record_key, case when head and not_before is null then pg_current_xact_id() end,
    case when head then not_before end, not_before);
  if head and not_before is null and wants_hint() then perform give_hint(); end if;
  return one.id;
end $$;
revoke execute on function {{schema}}.enqueue_shortly from public;

-- Enqueue, as before, for versions that may be written. Where one may not, nothing is written: a caller that says what it wants then, by the member
-- "when_unreadable" (downcast | refuse | write-anyway) of its messages, gets one row per message, outcome unwritable, and its transaction goes on;
-- any other caller gets an error (WB020).
--
-- A shared lock for each contract comes first, so that a retirement either sees the message or is seen by the statement behind it. An old snapshot
-- would not see it, nor what operators have decided since; there the rows of the type's contracts are locked, which every decision changes.
--
-- It runs with the rights of its owner, as before; what does the work is its own and nobody else's.
alter function {{schema}}.enqueue(json, json, text) rename to enqueue_rows;
alter function {{schema}}.enqueue_rows(json, json, text) security invoker;
revoke execute on function {{schema}}.enqueue_rows(json, json, text) from public;
create function {{schema}}.enqueue(messages json, payloads json default null, transaction_id text default null)
returns table (id uuid, outcome text)
language plpgsql security definer
set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  given constant integer := json_array_length(messages);
  one_id uuid;
  ids integer[];
  of_contract integer;
  locked text;
  refused record;
begin
  if given = 1 and json_array_length(coalesce(payloads, messages)) = 1 then
    -- Not "payloads -> 0", which would look into the payload and refuse \u0000.
    one_id := enqueue_shortly(messages -> 0, (select p.value from json_array_elements(payloads) p), transaction_id);
    if one_id is not null then
      return query select one_id, 'created';
      return;
    end if;
  end if;

  ids := array(
    select (select c.id from contract c where c.type = m.type and c.schema_version = m.version)
    from (select distinct m.type, m.version from json_to_recordset(messages) m (type text, version integer)) m);
  foreach of_contract in array ids loop
    if of_contract is not null then locked := pg_advisory_xact_lock_shared(contract_space(), of_contract)::text; end if;
  end loop;
  if not reads_fresh() then
    perform from contract c where c.type in (select m.type from json_to_recordset(messages) m (type text)) order by c.id for share;
  end if;
  if exists (select from unnest(ids) u (id) where u.id is null or not is_welcome(u.id)) then
    select * into refused from write_refusal(messages);
    if refused.reason is not null then
      if (messages #>> '{0,when_unreadable}') is not null then
        return query select null::uuid, 'unwritable' from generate_series(1, given);
        return;
      end if;
      raise exception '%@% may not be written: %', refused.type, refused.version, refused.reason using errcode = 'WB020',
        hint = 'Deploy its readers first, or write an older version. "waybill coverage" shows who reads what.';
    end if;
  end if;
  return query select * from enqueue_rows(messages, payloads, transaction_id);
  if wants_hint() then perform give_hint(); end if;
end $$;
revoke execute on function {{schema}}.enqueue(json, json, text) from public;

-- As before, and the shorter way first.
create or replace function {{schema}}.enqueue_one(message text, payload text default null, transaction_id text default null) returns text
language plpgsql security definer
set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off set plan_cache_mode = force_generic_plan as $$
declare
  outcome text := 'created';
begin
  if enqueue_shortly(message::json, payload::json, transaction_id) is null then
    outcome := (
      select e.outcome from enqueue(json_build_array(message::json), case when payload is not null then json_build_array(payload::json) end, transaction_id) e);
  end if;
  return outcome || ' ' || floor(extract(epoch from clock_timestamp()) * 1000);
end $$;

-- How versions stand with the builds that would have to read them. A producer asks this before it writes, and needs no right on the registry for it.
create function {{schema}}.version_standings(types text[], versions integer[])
returns table (type text, version integer, retired boolean, overridden boolean, blockers json, pin json, at_ms bigint)
language sql stable security definer set search_path = {{schema}}, pg_temp as $$
  select u.type, u.version, c.retired_at is not null,
    exists (select from write_override o where o.type = u.type and o.version = u.version and o.until > clock_timestamp()),
    (select coalesce(json_agg(json_build_object('source', b.source, 'id', b.id, 'build', b.build)), '[]') from version_blockers(u.type, u.version) b),
    (select json_build_object('version', p.version, 'percent', p.percent) from version_pin p where p.type = u.type),
    (extract(epoch from clock_timestamp()) * 1000)::bigint
  from unnest(types, versions) u (type, version)
  left join lateral (select * from contract c where c.type = u.type and c.schema_version = u.version) c on true
$$;
revoke execute on function {{schema}}.version_standings(text[], integer[]) from public;
