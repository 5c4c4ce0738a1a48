-- Two generations side by side: the calls of generation 1 on the tables of generation 2, and the backfill of keys that were never written.

-- A drainer that keeps the order of keys in memory takes what has no key in order of position, as before, and of the rest the heads of keys alone,
-- so that what it settles wakes what follows. The rest only once it has all that has no key: an older record of the same key may be among it.
create or replace function {{schema}}.claim_batch(owner uuid, most integer, lease_ms bigint, contracts integer[])
returns table (position_ bigint, fence bigint, seq bigint, id uuid, contract_id integer, tenant text, event_id text,
  occurred_at timestamptz, enqueued_at timestamptz, headers text, payload text, attempt integer, due_in_ms bigint)
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  moment constant timestamptz := statement_timestamp();
  found_ bigint[];
  theirs bigint;
begin
  select coalesce(array_agg(n.position), '{}'), min(n.position) filter (where n.theirs) into found_, theirs
  from (
    select d.position, coalesce(d.lease_expires_at >= moment, false) as theirs from delivery d
    where d.record_key is null and not d.settled and d.contract_id = any (contracts)
      and (d.lease_owner is distinct from owner or d.lease_expires_at < moment)
    order by d.position limit most for no key update) n;
  return query
    with leased as (
      update delivery d
      set lease_owner = owner, lease_expires_at = clock_timestamp() + lease_ms * interval '1 millisecond', fence = next_fence(d.fence)
      where d.position = any (found_) and (theirs is null or d.position < theirs)
      returning d.position, d.fence, d.seq, d.attempt, d.due_at)
    select l.position, l.fence, m.seq, m.id, m.contract_id, m.tenant, m.event_id, m.occurred_at, m.enqueued_at, m.headers::text, m.payload::text,
      l.attempt, greatest(0, ceil(extract(epoch from l.due_at - moment) * 1000))::bigint
    from leased l, lateral (select * from message m where m.seq = l.seq offset 0) m
    order by l.position;
  if theirs is not null or cardinality(found_) >= most then return; end if;
  return query
    select c.position_, c.fence, c.seq, c.id, c.contract_id, c.tenant, c.event_id, c.occurred_at, c.enqueued_at, c.headers, c.payload, c.attempt, 0::bigint
    from claim(owner, most - cardinality(found_), most - cardinality(found_), 1, lease_ms, true, contracts,
      array_fill('0'::xid8, array[cardinality(contracts)]), array_fill(0::bigint, array[cardinality(contracts)]), '{}', '{}',
      array_fill('-infinity'::timestamptz, array[cardinality(contracts)])) c
    where c.position_ is not null
    order by c.position_;
end $$;

create or replace function {{schema}}.settle_batch(
  owner uuid, positions bigint[], fences bigint[], outcomes text[], delays_ms bigint[], reasons text[], errors text[])
returns setof bigint
language sql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
  with ended as materialized (
    select coalesce(array_agg(u.position order by u.n), '{}') as ended_positions,
           coalesce(array_agg(case when u.outcome = 'dead-letter' then u.reason end order by u.n), '{}') as ended_reasons,
           coalesce(array_agg(u.error order by u.n), '{}') as ended_errors
    from unnest(positions, outcomes, reasons, errors) with ordinality u (position, outcome, reason, error, n)
    where u.outcome in ('dispatched', 'dead-letter'))
  select s.head
  from ended e, settle(owner, positions, fences,
    array(select case when u.outcome = 'retry' then 'retry' else 'release' end from unnest(outcomes) with ordinality u (outcome, n) order by u.n),
    delays_ms, errors, array_fill(null::integer, array[cardinality(positions)]), e.ended_positions, e.ended_positions, e.ended_reasons, e.ended_errors) s
$$;

-- Fills keys that are null, of messages and of their deliveries, as if they had been written with them: per key, the oldest row is ready or timed and
-- the others wait behind it. Gives the seqs that were deferred: somebody holds a row of their key or leases it, and a lease is never touched.
--
-- Writers of these keys wait at the guards, so nothing joins a key meanwhile. Every row that changes its place is locked first, and so is the head of
-- its key: then no claim can take one, no settlement can wake one, and a claim whose snapshot is older finds another version of the head and leaves it.
create type {{schema}}.keying as (seq bigint, record_key text, position bigint);
create function {{schema}}.backfill_keys(seqs bigint[], keys text[]) returns bigint[]
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  rows keying[];
  deferred bigint[];
begin
  if not reads_fresh() then
    raise exception 'the backfill needs READ COMMITTED' using errcode = 'WB003';
  end if;
  perform pg_advisory_xact_lock(guard_space(), s.stripe)
  from (select distinct guard_stripe(k.record_key) as stripe from unnest(keys) k (record_key) where k.record_key <> '' order by 1) s;

  -- A statement of its own: its snapshot sees whoever held the guards before. A replayed message lives where its last replay has put it.
  rows := array(
    select (u.seq, u.record_key, d.position)::keying
    from unnest(seqs, keys) u (seq, record_key) left join lateral (
      select d.position from delivery d
      where not d.settled and d.record_key is null and d.position = coalesce(
        (select l.replayed_as from dead_letter l where l.seq = u.seq order by l.id desc limit 1), u.seq)) d on true);

  with head as materialized (
    select k.record_key, (
      select o.position from delivery o
      where o.record_key >= k.record_key collate "C" and o.record_key <= k.record_key collate "C" and o.record_key <> ''
      order by o.record_key, o.position limit 1) as position
    from (select distinct r.record_key from unnest(rows) r where r.record_key <> '' and r.position is not null) k),
  -- In no order, since nothing waits. What is leased is not even locked: its settlement would wait.
  locked as materialized (
    select d.position, d.settled from delivery d
    where d.position = any (array(select r.position from unnest(rows) r union select h.position from head h)) and d.lease_owner is null
    for no key update skip locked),
  -- The rows of one key: those without it as yet, and its head. A row without a key is a key of its own.
  member as materialized (
    select case when r.record_key = '' then '/' || r.seq else r.record_key end as place, r.record_key, r.position, false as was_head
    from unnest(rows) r where r.position is not null
    union all
    select h.record_key, h.record_key, h.position, true from head h where h.position is not null),
  place as materialized (
    select m.place, min(m.position) as first, bool_and(l.position is not null
        -- A tombstone wakes what is behind it, so nothing may get in front of it.
        and not (l.settled and m.position > f.first)) as clear
    from member m join (select place, min(position) as first from member group by place) f on f.place = m.place
      left join locked l on l.position = m.position
    group by m.place),
  -- Each row that was locked is stamped anew: claims have passed it meanwhile, and must not take it for the version that they saw.
  moved as (
    update delivery d
    set record_key = case when p.clear then m.record_key else d.record_key end,
        ready_xid = case when d.ready_xid is not null and (not p.clear or d.position = p.first) then pg_current_xact_id() end,
        due_at = case when not p.clear or d.position = p.first then d.due_at end,
        not_before = case when p.clear and d.position <> p.first then greatest(d.not_before, d.due_at) else d.not_before end
    from member m join place p on p.place = m.place join locked l on l.position = m.position
    where d.position = m.position and not l.settled),
  filled as (
    update message g
    set record_key = r.record_key
    from unnest(rows) r
      join lateral (select s.seq from message s where s.seq = r.seq and s.record_key is null for no key update skip locked) s on true
    where g.seq = r.seq and not exists (
      select 1 from member m join place p on p.place = m.place where not p.clear and m.position = r.position))
  select coalesce(array_agg(r.seq), '{}') into deferred
  from unnest(rows) r where exists (select 1 from member m join place p on p.place = m.place where not p.clear and m.position = r.position);
  return deferred;
end $$;

-- What a start checks: positions must be handed out in order and above all that are in use, else a key is wedged for ever. A changed sequence, a
-- restored dump or a switch-over by logical replication (which leaves sequences behind) can break it. With the rights of its owner, since a producer may
-- see no table.
create function {{schema}}.position_state(out cache bigint, out last_position bigint, out highest_in_use bigint)
language sql security definer set search_path = {{schema}}, pg_temp as $$
  select (select s.seqcache from pg_catalog.pg_sequence s where s.seqrelid = 'position_seq'::regclass),
         (select case when p.is_called then p.last_value else p.last_value - 1 end from position_seq p),
         greatest((select max(d.position) from delivery d), (select max(m.seq) from message m), 0)
$$;
