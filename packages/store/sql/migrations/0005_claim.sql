-- Which record of a run has probably killed its owner, if any has. A lease that ran out is not yet a crash; this is one only where
-- the owner is dead: silent for longer than it may be, and never signed off;
-- the store was there: another dispatcher's heartbeats show no gap since, or there was no other one and the server has not started anew;
-- and the record was in a handler at the last heartbeat, or the run was claimed after it.
create function {{schema}}.killer(head_position bigint) returns bigint
language sql stable set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
  select coalesce(
    (select d.position from unnest(w.in_hand) i (position), lateral (select * from delivery d where d.position = i.position offset 0) d
     where d.position = h.position or (d.record_key = h.record_key and d.record_key <> '' and d.position between h.position and h.run_to)
     order by d.position limit 1),
    case when h.lease_expires_at > w.seen_at + w.lease_ms * interval '1 millisecond' then h.position end)
  from delivery h, dispatcher w
  where h.position = head_position and w.id = h.lease_owner and w.left_at is null
    and w.seen_at < clock_timestamp() - silence(w)
    and (
      exists (
        select 1 from dispatcher o where o.id <> w.id and o.steady_since <= w.seen_at
        and o.seen_at > w.seen_at + silence(w) / 2)
      or (
        pg_postmaster_start_time() < w.seen_at and not exists (
          select 1 from dispatcher o
          where o.id <> w.id and o.left_at is null and o.started_at < w.seen_at
            and o.seen_at > w.seen_at - silence(w))))
$$;

-- Rows that another cluster has stamped (a dump that was restored here) may carry transaction ids of the future, and would come last for ever.
-- Gives how many were stamped anew.
create function {{schema}}.stamp_anew(contracts integer[]) returns integer
language sql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
  with ahead as materialized (
    select d.position from unnest(contracts) c (id), lateral (
      select d.position from delivery d where d.contract_id = c.id and d.ready_xid >= pg_snapshot_xmax(pg_current_snapshot())
      for no key update skip locked) d),
  stamped as (
    update delivery d set ready_xid = pg_current_xact_id() where d.position = any (array(select position from ahead)) returning 1)
  select count(*)::integer from stamped
$$;

-- Claim: one statement that takes what is ready or due for the contracts asked for, extends each head to a run and leases the heads.
-- Its cost follows what it takes, never what waits: it reads only heads, from a floor on, contract by contract.
--
-- most_heads, most_records: how many leases and how many records it may take. asks, floor_xids, floor_positions: the contracts, each with the
-- (transaction, position) below which the caller has seen everything; open_asks, open_xids: transactions below a floor that were still in
-- progress. timed: look at due retries and delays too, contract by contract from due_floors on.
-- Index scans in index order are the only good plan here, and it is made once, maybe while the table was empty: hence the settings.
-- Gives one row per record, or one row without a record; the first row carries "facts" for the next floors (decoded by decideFloors).
create function {{schema}}.claim(
  owner uuid, most_heads integer, most_records integer, run_length integer, lease_ms bigint, timed boolean,
  asks integer[], floor_xids xid8[], floor_positions bigint[], open_asks integer[], open_xids xid8[],
  due_floors timestamptz[])
returns table (facts json, head bigint, fence bigint, position_ bigint, seq bigint, id uuid, contract_id integer, record_key text, tenant text,
  event_id text, occurred_at timestamptz, enqueued_at timestamptz, headers text, payload text, attempt integer, policy text, crashes integer)
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  -- One time for the whole claim: the clock itself would be read row by row, and no index can be entered at a value that moves.
  moment constant timestamptz := clock_timestamp();
  look record;
begin
  if not reads_fresh() then
    raise exception 'claim needs READ COMMITTED' using errcode = 'WB003';
  end if;
  -- A standby would answer the look below for ever, and nobody would learn that nothing is delivered.
  if current_setting('transaction_read_only') = 'on' then
    raise exception 'claim cannot write here' using errcode = 'read_only_sql_transaction';
  end if;

  -- Most polls find nothing, and setting the whole statement up to find nothing takes several times as long as this look. What it has not seen is
  -- either above its snapshot or of a transaction in progress, just as if the whole statement had looked.
  select pg_current_snapshot()::text as snapshot,
    (select a.id from unnest(asks, floor_xids, floor_positions, due_floors) a (id, floor_xid, floor_position, due_floor) where (
       select d.position from delivery d
       where d.contract_id = a.id and d.ready_xid >= a.floor_xid and (d.ready_xid, d.position) >= (a.floor_xid, a.floor_position)
       order by d.contract_id, d.ready_xid, d.position limit 1) is not null or timed and (
       select d.position from delivery d where d.contract_id = a.id and d.due_at >= a.due_floor and d.due_at <= moment and not d.settled
       order by d.contract_id, d.due_at limit 1) is not null limit 1) is null
    and (select e.id from unnest(open_asks, open_xids) e (id, xid) where (
       select d.position from delivery d where d.contract_id = e.id and d.ready_xid >= e.xid and d.ready_xid <= e.xid
       order by d.contract_id, d.ready_xid, d.position limit 1) is not null limit 1) is null as is_empty,
    json_build_object(
      'limit', most_heads, 'server', pg_postmaster_start_time()::text, 'momentMs', extract(epoch from moment) * 1000, 'timed', timed,
      'nextDueMs', case when timed then (
        select ceil(extract(epoch from min(n.due_at) - moment) * 1000) from unnest(asks) a (id), lateral (
          select d.due_at from delivery d where d.contract_id = a.id and d.due_at > moment and not d.settled
          order by d.contract_id, d.due_at limit 1) n) end,
      'suspects', case when timed then (select d.position from delivery d where d.crashes > 0 and not d.settled and d.contract_id = any (asks)
        and (d.lease_expires_at is null or d.lease_expires_at < moment) and (d.ready_xid is not null or d.due_at <= moment)
        order by d.crashes, d.position limit 1) is not null end,
      'pauses', case when timed then (select json_agg(json_build_object('type', p.type, 'destination', p.destination) order by p.id) from pause p) end,
      'sweepDue', (select d.position from delivery d where d.settled and d.due_at <= moment order by d.due_at limit 1) is not null) as around
  into look;
  if look.is_empty then
    return query select json_build_object('around', look.around, 'snapshot', look.snapshot, 'share', most_heads, 'dueLeft', false, 'seen', null),
      null::bigint, null::bigint, null::bigint, null::bigint, null::uuid, null::integer, null, null, null, null::timestamptz, null::timestamptz,
      null, null, null::integer, null, null::integer;
    return;
  end if;

  return query
  with ask as materialized (select * from unnest(asks, floor_xids, floor_positions, due_floors) a (id, floor_xid, floor_position, due_floor)),
  -- Contracts with nothing above their floor take no share of the window.
  asked as materialized (
    select * from ask a where (
      select d.position from delivery d
      where d.contract_id = a.id and d.ready_xid >= a.floor_xid and (d.ready_xid, d.position) >= (a.floor_xid, a.floor_position)
      order by d.contract_id, d.ready_xid, d.position limit 1) is not null),
  share as materialized (select greatest(1, most_heads / greatest(1, count(*)))::integer as n from asked),
  -- The range on ready_xid alone repeats half of the row comparison: it is what the index condition is made of.
  new_rows as materialized (
    select d.*, 1 as source from asked a, share s, lateral (select l.*, row_number() over () as nth from (
      select position, record_key, contract_id, ready_xid, checked, attempt, lease_owner, ctid as place from delivery d
      where d.contract_id = a.id and d.ready_xid >= a.floor_xid and (d.ready_xid, d.position) >= (a.floor_xid, a.floor_position)
        and (d.lease_expires_at is null or d.lease_expires_at < moment) and d.crashes = 0
      order by d.contract_id, d.ready_xid, d.position limit s.n for no key update skip locked) l) d),
  -- ">= and <=" rather than "=": with "=" the planner would walk the primary key for the order.
  late_rows as materialized (
    select d.*, 2 as source from unnest(open_asks, open_xids) e (id, xid), lateral (select l.*, row_number() over () as nth from (
      select position, record_key, contract_id, ready_xid, checked, attempt, lease_owner, ctid as place from delivery d
      where d.contract_id = e.id and d.ready_xid >= e.xid and d.ready_xid <= e.xid
        and (d.lease_expires_at is null or d.lease_expires_at < moment) and d.crashes = 0
      order by d.contract_id, d.ready_xid, d.position limit most_heads for no key update skip locked) l) d),
  timed_rows as materialized (
    select d.*, 3 as source from ask a, lateral (select l.*, row_number() over () as nth from (
      select position, record_key, contract_id, ready_xid, checked, attempt, lease_owner, ctid as place from delivery d
      where timed and d.contract_id = a.id and d.due_at >= a.due_floor and d.due_at <= moment and not d.settled
        and (d.lease_expires_at is null or d.lease_expires_at < moment) and d.crashes = 0
      order by d.contract_id, d.due_at limit greatest(1, most_heads / 4) for no key update skip locked) l) d),
  -- Late rows first, then new and timed ones in turn, each in the order in which its index gave them. What is beyond the limit is not taken,
  -- and no floor may pass it.
  ranked as materialized (
    select r.*, row_number() over (order by source <> 2, nth, source, contract_id) > most_heads as cut
    from (select * from new_rows union all select * from late_rows union all select * from timed_rows) r),
  -- Only a row whose locked version is the one that the snapshot saw may be taken, compared or counted towards a floor.
  -- That version is at a place of its own, where a look with the snapshot finds it or nothing: all of them in one scan, since each scan asks for the
  -- size of the table.
  seen as materialized (select v.ctid as place from delivery v where v.ctid = any (array(select place from ranked))),
  due as materialized (select r.*, r.place in (select place from seen) as same from ranked r),
  -- A row of a snapshot writer was never compared with its elders: do so now, and put it back behind one that can be locked alive.
  compared as materialized (
    select position, (
      select o.position from delivery o
      where (o.record_key, o.position) < (due.record_key, due.position) and o.record_key >= due.record_key and o.record_key <> ''
      order by o.record_key desc, o.position desc limit 1) as elder
    from due where same and not cut and not checked and record_key <> ''),
  -- An elder that this claim holds itself needs no second lock, and would not get it once the claim has written to it.
  locked_elder as materialized (
    select o.position from delivery o
    where o.position = any (array(select elder from compared where elder is not null except select position from due)) for no key update skip locked),
  put_back as (
    update delivery d set ready_xid = null, due_at = null, checked = true
    from compared c
    where d.position >= c.position and d.position <= c.position and (c.elder in (select position from due) or c.elder in (select position from locked_elder))),
  takeable as materialized (
    select position, place, record_key, attempt, lease_owner from due
    where same and not cut and not exists (select 1 from compared c where c.position = due.position and c.elder is not null)),
  -- Of a run whose owner has died, the record that killed it becomes a suspect, which claim_suspect alone takes.
  killer as materialized (
    select t.position as head, killer(t.position) as position from takeable t where t.lease_owner is not null),
  locked_killer as materialized (
    select d.position from delivery d
    where d.position = any (array(select position from killer where position <> head)) for no key update skip locked),
  suspected as (
    update delivery d set crashes = least(d.crashes, 32766) + 1, lease_owner = null, lease_expires_at = null, run_to = null
    where d.position = any (array(select position from killer where position = head union all select position from locked_killer))),
  taken as materialized (
    select position, place, record_key, attempt from takeable t where not exists (select 1 from killer k where k.head = t.position and k.position = k.head)),
  -- A run stops before the first record that may not be taken. A head that has failed before is taken alone.
  -- No more of them are read than the budget may take: twice its share for each head, since not every key has as many.
  room as materialized (
    select least(run_length - 1, ceil(2.0 * (most_records - count(*)) / greatest(1, count(*))))::integer as followers from taken),
  follower as materialized (
    select t.position as head, f.position, f.seq, f.attempt, f.policy_id, f.nth from taken t, room, lateral (
      select o.position, o.seq, o.attempt, o.policy_id, row_number() over (order by o.record_key, o.position) as nth,
             bool_and(o.contract_id = any (asks) and not o.settled and o.due_at is null and (o.not_before is null or o.not_before <= moment)
               and o.crashes = 0 and o.position not in (select k.position from killer k where k.position is not null))
               over (order by o.record_key, o.position) as may_be_taken
      from (
        select * from delivery o
        where (o.record_key, o.position) > (t.record_key, t.position) and o.record_key <= t.record_key and o.record_key <> ''
        order by o.record_key, o.position limit greatest(0, room.followers)) o) f
    where t.record_key <> '' and t.attempt = 0 and room.followers > 0 and f.may_be_taken),
  -- The budget counts records: followers nearest to their heads first, so that each run stays without a gap.
  follower_taken as materialized (
    select f.head, f.position, f.seq, f.attempt, f.policy_id from (select f.*, row_number() over (order by nth, head) as rank from follower f) f
    where f.rank <= most_records - (select count(*) from taken)),
  leased as (
    update delivery d
    set lease_owner = owner, lease_expires_at = moment + lease_ms * interval '1 millisecond',
        fence = next_fence(d.fence), checked = true, run_to = r.run_to
    -- Locked above, so it still is where it was. The join is by an expression, so that no index and no scan of its own is used for each row.
    from (select t.position, max(f.position) as run_to from taken t left join follower_taken f on f.head = t.position group by t.position) r
    where d.ctid = any (array(select place from taken)) and d.position + 0 = r.position
    returning d.position, d.fence, d.seq, d.attempt, d.policy_id),
  record as (
    select l.position as head, l.fence, l.position, l.seq, l.attempt, l.policy_id from leased l
    union all
    select f.head, l.fence, f.position, f.seq, f.attempt, f.policy_id from leased l join follower_taken f on f.head = l.position)
  select case when row_number() over (order by r.position) = 1 then (
      select json_build_object(
        'around', look.around, 'snapshot', pg_current_snapshot()::text, 'share', (select n from share),
        'dueLeft', (select count(*) >= greatest(1, most_heads / 4) or bool_or(cut or not same) from due where source = 3),
        'seen', (select json_agg(s) from (
          -- PostgreSQL 14 has no max of an xid8.
          select contract_id as contract, source, count(*) as rows, bool_or(cut) as cut,
                 (array_agg(ready_xid order by ready_xid desc) filter (where same and not cut))[1]::text as xid,
                 (array_agg(position order by ready_xid desc, position desc) filter (where same and not cut))[1]::text as position
          from due where source < 3 group by contract_id, source) s))) end,
    r.head, r.fence, r.position, m.seq, m.id, m.contract_id, m.record_key, m.tenant, m.event_id, m.occurred_at, m.enqueued_at,
    m.headers::text, m.payload::text, r.attempt, (select to_json(p)::text from policy p where p.id = r.policy_id), 0
  from (select 1) one left join (record r cross join lateral (select * from message m where m.seq = r.seq offset 0) m) on true
  order by r.position;
end $$;

-- Claims one suspect, the eldest: a record that was in hand when its process died. It is for a process that handles nothing else, so that a
-- further crash has one culprit. The count in the answer includes the crash that this claim has found.
create function {{schema}}.claim_suspect(owner uuid, lease_ms bigint, asks integer[])
returns table (head bigint, fence bigint, position_ bigint, seq bigint, id uuid, contract_id integer, record_key text, tenant text,
  event_id text, occurred_at timestamptz, enqueued_at timestamptz, headers text, payload text, attempt integer, policy text, crashes integer)
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  moment constant timestamptz := clock_timestamp();
begin
  if not reads_fresh() then
    raise exception 'claim needs READ COMMITTED' using errcode = 'WB003';
  end if;
  return query
  with suspect as materialized (
    select d.position from delivery d
    where d.crashes > 0 and not d.settled and d.contract_id = any (asks) and (d.ready_xid is not null or d.due_at <= moment)
      and (d.lease_expires_at is null or d.lease_expires_at < moment)
    order by d.crashes, d.position limit 1 for no key update skip locked),
  leased as (
    update delivery d
    set lease_owner = owner, lease_expires_at = moment + lease_ms * interval '1 millisecond', fence = next_fence(d.fence), run_to = null,
        crashes = case when d.lease_owner is not null and killer(d.position) = d.position then least(d.crashes, 32766) + 1 else d.crashes end
    where d.position = (select position from suspect)
    returning d.position, d.fence, d.seq, d.attempt, d.policy_id, d.crashes)
  select l.position, l.fence, l.position, m.seq, m.id, m.contract_id, m.record_key, m.tenant, m.event_id, m.occurred_at, m.enqueued_at,
    m.headers::text, m.payload::text, l.attempt, (select to_json(p)::text from policy p where p.id = l.policy_id), l.crashes::integer
  from leased l join message m on m.seq = l.seq;
end $$;
