-- Replay and discard: what an operator may do with a dead letter. Both close it with one conditional write, so that of two operators one wins.
-- They lock in one order: dead letters by seq, guards by stripe, deliveries.

-- Gives open dead letters a new delivery: the same message, its attempts counted from zero, its history kept. Dead letters that are not open
-- (any more) give no row. patient: wait for the guards; else messages of keys whose guard is taken give no row either.
-- place: held (the key had waited: nothing was delivered behind the message, so it takes its old position again) | ready | waiting (behind live ones).
create type {{schema}}.replaying as (id bigint, seq bigint, position bigint, contract_id integer, record_key text);
create function {{schema}}.replay(dead_letters bigint[], patient boolean)
returns table (dead_letter bigint, place text)
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
#variable_conflict use_column
declare
  mine replaying[];
  revived bigint[];
  taken integer[] := '{}';
begin
  if not reads_fresh() then
    raise exception 'replay needs READ COMMITTED' using errcode = 'WB003';
  end if;
  mine := array(
    select (l.id, l.seq, l.position, l.contract_id, m.record_key)::replaying
    from (select s.* from unnest(dead_letters) u (id), lateral (select l.id, l.seq from dead_letter l where l.id = u.id) s order by s.seq) o,
      lateral (select * from dead_letter l where l.id = o.id and l.replayed_at is null and l.discarded_at is null for update) l,
      lateral (select m.record_key from message m where m.seq = l.seq) m);
  if mine = '{}' then return; end if;

  if patient then
    perform pg_advisory_xact_lock(guard_space(), s.stripe)
    from (select distinct guard_stripe(r.record_key) as stripe from unnest(mine) r where r.record_key <> '' order by 1) s;
  else
    taken := array(
      select s.stripe from (select distinct guard_stripe(r.record_key) as stripe from unnest(mine) r where r.record_key <> '' order by 1) s
      where not pg_try_advisory_xact_lock(guard_space(), s.stripe));
    mine := array(select r from unnest(mine) r where coalesce(r.record_key, '') = '' or guard_stripe(r.record_key) <> all (taken));
  end if;

  -- A statement of its own: its snapshot sees whoever held the guards before. An ordinary tombstone has no contract and does not come back.
  with alive as (
    update delivery d
    set settled = false, due_at = null, not_before = null, ready_xid = pg_current_xact_id(), attempt = 0, last_error = null,
      policy_id = null, crashes = 0, checked = true
    from unnest(mine) r
    where d.position = r.position and d.seq = r.seq and d.settled and d.contract_id is not null
    returning r.id, d.position),
  closed as (
    update dead_letter l set replayed_at = clock_timestamp(), replayed_as = a.position from alive a where l.id = a.id)
  select array_agg(id) into revived from alive;

  return query
  with numbered as materialized (
    select nextval('position_seq') as position, g.* from (
      select r.id, r.seq, r.contract_id, r.record_key from unnest(mine) r where r.id <> all (coalesce(revived, '{}')) order by r.seq) g),
  placed as materialized (
    select n.*, coalesce(n.record_key, '') = '' or (
      row_number() over (partition by n.record_key order by n.position) = 1
      and not exists (select 1 from delivery o where o.record_key = n.record_key and o.record_key <> '')) as head
    from numbered n),
  put as (
    insert into delivery (position, seq, contract_id, record_key, ready_xid)
    select position, seq, contract_id, record_key, case when head then pg_current_xact_id() end from placed order by position),
  closed as (
    update dead_letter l set replayed_at = clock_timestamp(), replayed_as = p.position from placed p where l.id = p.id)
  select r.id, 'held' from unnest(revived) r (id)
  union all
  select p.id, case when p.head then 'ready' else 'waiting' end from placed p;
end $$;

-- Gives up an open dead letter for good. A key that it held goes on with the next sweep. Gives whether it was open.
create function {{schema}}.discard(dead_letter bigint, actor text, reason text) returns boolean
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  closed record;
begin
  update dead_letter l set discarded_at = clock_timestamp(), discarded_by = discard.actor, discard_reason = discard.reason
  where l.id = discard.dead_letter and l.replayed_at is null and l.discarded_at is null
  returning l.seq, l.position into closed;
  if not found then return false; end if;
  update delivery d set due_at = clock_timestamp() where d.position = closed.position and d.seq = closed.seq and d.settled;
  return true;
end $$;

-- Lets the keys go on that dead messages of these contracts hold, where the policy is "continue" now. Gives how many.
create function {{schema}}.release_held(contracts integer[]) returns integer
language sql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
  with released as (
    update delivery d set due_at = clock_timestamp()
    where d.settled and d.due_at = 'infinity' and d.contract_id = any (contracts)
      and exists (select 1 from contract c where c.id = d.contract_id and c.head_policy = 'continue')
    returning 1)
  select count(*)::integer from released
$$;
