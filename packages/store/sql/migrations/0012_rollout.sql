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

-- Enqueue, as before, for versions that may be written. Where one may not, nothing is written: a caller that says what it wants then, by the member
-- "when_unreadable" (downcast | refuse | write-anyway) of its messages, gets one row per message, outcome unwritable, and its transaction goes on;
-- any other caller gets an error (WB020).
--
-- A shared lock for each contract comes first, so that a retirement either sees the message or is seen by the statement behind it. An old snapshot
-- would not see it, nor what operators have decided since; there the rows of the type's contracts are locked, which every decision changes. The usual case, that every running dispatcher reads what is written, is
-- answered by one look; whatever else there may be takes the long way.
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
  fresh constant boolean := reads_fresh();
  ids integer[];
  contract_id integer;
  locked text;
  refused record;
  one record;
  one_id uuid;
  hint boolean;
begin
  if given = 1 then
    select * into one from json_to_record(messages -> 0) m (id uuid, type text, version integer, record_key text, tenant text, event text,
      headers json, occurred_at timestamptz, due_at timestamptz, written_by integer, payload json);
    ids := array[(select c.id from contract c where c.type = one.type and c.schema_version = one.version)];
  else
    ids := array(
      select (select c.id from contract c where c.type = m.type and c.schema_version = m.version)
      from (select distinct m.type, m.version from json_to_recordset(messages) m (type text, version integer)) m);
  end if;
  foreach contract_id in array ids loop
    if contract_id is not null then locked := pg_advisory_xact_lock_shared(contract_space(), contract_id)::text; end if;
  end loop;
  if not fresh then
    perform from contract c where c.type in (select m.type from json_to_recordset(messages) m (type text)) order by c.id for share;
  end if;

  if not (select coalesce(bool_and(c.id is not null and c.retired_at is null and not exists (select from version_pin p where p.type = c.type) and
      case when (select seen_at from dispatcher order by seen_at desc limit 1) is null then (select until from reader order by until limit 1) is null
           else not exists (select from reader r where r.until > clock_timestamp())
            and (select coalesce(bool_and(c.id = any (d.capabilities)), false) from dispatcher d
                 where d.seen_at > statement_timestamp() - interval '1 hour' and counts(d)) end), true)
    from unnest(ids) u (id) left join lateral (select * from contract c where c.id = u.id) c on true)
  then
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

  -- One message of a known contract, which most calls bring, in the transaction that was meant: the same as below in a shorter way. What it leaves
  -- undone, an id that is there already, is done below.
  if given = 1 and fresh and ids[1] is not null and json_array_length(coalesce(payloads, messages)) = 1
     and (transaction_id is null or transaction_id in (pg_current_xact_id_if_assigned()::text, 'any') and pg_current_xact_id_if_assigned() is not null)
  then
    if one.record_key <> '' then locked := pg_advisory_xact_lock(guard_space(), guard_stripe(one.record_key))::text; end if;
    with written as (
      insert into message (seq, id, contract_id, written_by, occurred_at, tenant, event_id, headers, payload, record_key)
      values (nextval('position_seq'), coalesce(one.id, gen_random_uuid()), ids[1], one.written_by, coalesce(one.occurred_at, clock_timestamp()),
        one.tenant, one.event, one.headers, coalesce((select p.value from json_array_elements(payloads) p (value)), one.payload), one.record_key)
      on conflict (id) do nothing
      returning seq, id),
    placed as (
      select w.seq, case when one.due_at > clock_timestamp() then one.due_at end as not_before,
        case when coalesce(one.record_key, '') = '' then true
             else (select o.position from delivery o
                   where o.record_key >= one.record_key collate "C" and o.record_key <= one.record_key collate "C" and o.record_key <> ''
                   order by o.record_key, o.position limit 1) is null end as head
      from written w),
    put as (
      insert into delivery (position, seq, contract_id, record_key, ready_xid, due_at, not_before)
      select seq, seq, ids[1], one.record_key, case when head and not_before is null then pg_current_xact_id() end, case when head then not_before end, not_before
      from placed)
    select w.id, p.head and p.not_before is null and wants_hint() into one_id, hint from written w, placed p;
    if one_id is not null then
      if hint then perform give_hint(); end if;
      return query select one_id, 'created';
      return;
    end if;
  end if;
  return query select * from enqueue_rows(messages, payloads, transaction_id);
  if wants_hint() then perform give_hint(); end if;
end $$;
revoke execute on function {{schema}}.enqueue(json, json, text) from public;

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
