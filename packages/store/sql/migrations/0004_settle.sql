-- Plans: rows are reached by primary key and in the order of the key's index, whatever was in the table when a plan was cached. A key is compared as
-- a range and ordered by (record_key, position): with "=" the order by position alone would do, and where one key fills the table the planner
-- takes the primary key for it and walks every row.
-- Plans are made once a session: planning such a statement for each call costs more than running it.
-- Settlement: ends attempts under owner and fence, and wakes what follows in a key. Nothing here waits for a row that somebody else holds,
-- except for the heads that the caller itself owns, which are locked in position order.

-- Where a list meets delivery or message, a plan that was made while the table held next to nothing might read all of it in the order of its key,
-- and would still do so when a backlog has come. ">= and <=" rather than "=" leaves nothing to merge, and so no use for that order; an "offset 0"
-- keeps the look at one row apart; "= any" without a join can go by the index alone.

-- Makes the first live row of keys[i] at or after froms[i] ready. "empty": none is visible. "busy": it was locked by somebody or went away
-- meanwhile. In both cases the caller decides; when in doubt it leaves a tombstone.
create function {{schema}}.wake(keys text[], froms bigint[], fences bigint[], out empty text[], out busy text[])
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  -- One time for the whole row: a delay that ends between two looks at the clock would leave it neither ready nor timed, and nobody would wake it.
  moment constant timestamptz := clock_timestamp();
begin
  with successor as materialized (
    select u.record_key, u.fence, (
      select o.position from delivery o
      where (o.record_key, o.position) >= (u.record_key collate "C", u.lower_bound) and o.record_key <= u.record_key collate "C"
        and o.record_key <> '' order by o.record_key, o.position limit 1) as position
    from unnest(keys, froms, fences) u (record_key, lower_bound, fence)),
  locked as materialized (
    select d.position from delivery d where d.position = any (array(select position from successor)) for no key update skip locked),
  woken as (
    -- A row that was ready already is stamped anew, so that no claimer's floor can have passed it.
    update delivery d
    set ready_xid = case when d.not_before > moment then null else pg_current_xact_id() end,
        due_at = case when d.not_before > moment then d.not_before end,
        fence = greatest(d.fence, s.fence), checked = true
    from locked l join successor s on s.position = l.position
    where d.position >= l.position and d.position <= l.position and not d.settled and d.lease_owner is null
      and (d.due_at is null or d.due_at <= moment))
  select array_agg(s.record_key) filter (where s.position is null),
         array_agg(s.record_key) filter (where s.position is not null and l.position is null)
  into empty, busy
  from successor s left join locked l on l.position = s.position;
end $$;

create type {{schema}}.settling as (
  head bigint, record_key text, fence bigint, run_to bigint, expires_at timestamptz, next text, delay_ms bigint, error text, policy integer,
  last_settled bigint, last_seq bigint);

-- heads, fences: the runs to settle. nexts: what becomes of the first record of the run that is not in "positions": keep (the lease moves on to
-- it) | release (it goes back without an attempt) | retry (counts an attempt, and clears the suspicion of a crash); both wait delays_ms first.
-- policies: the retry policy that applied, kept by the record from its first failure on. positions, position_heads, reasons, reason_errors: the
-- records whose delivery ended, with the run they belong to; a reason makes it a dead letter, none a dispatched record.
-- Gives the heads that were still owned, each with the position that now carries the lease, if any. All others have lost their lease.
create function {{schema}}.settle(
  owner uuid, heads bigint[], fences bigint[], nexts text[], delays_ms bigint[], errors text[], policies integer[],
  positions bigint[], position_heads bigint[], reasons text[], reason_errors text[])
returns table (head bigint, kept_head bigint)
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  owned bigint[];
  runs settling[];
  unsettled settling[];
  waking settling[];
  kept bigint[];
  kept_by bigint[];
  look record;
  free text[];
  doubt text[];
  held bigint[] := '{}';
begin
  -- 1. The heads that are still ours, locked in position order.
  select array_agg(s.position), array_agg(s.run) into owned, runs from (
    -- A head that is given twice is settled once.
    select distinct on (u.position) d.position, (d.position, d.record_key, d.fence, coalesce(d.run_to, d.position), d.lease_expires_at, u.next, u.delay_ms, u.error, u.policy, null, null)::settling as run
    from (select * from unnest(heads, fences, nexts, delays_ms, errors, policies) u (position, fence, next, delay_ms, error, policy) order by position) u,
      lateral (select * from delivery d where d.position = u.position and d.fence = u.fence and d.lease_owner = owner for no key update) d) s;
  if owned is null then return; end if;

  -- 2. What has ended moves to history. Under the policy "hold" a dead message of a key leaves a tombstone that is never due: it is the first
  -- row of its key, and nothing behind it wakes until an operator replays or discards it. The share lock puts this before or after a change of
  -- the policy, which then finds the tombstone or is found here.
  if array_remove(reasons, null) <> '{}' then
    held := array(
      select d.position from unnest(positions, reasons) u (position, reason),
        lateral (select d.position, d.contract_id from delivery d where d.position = u.position and d.record_key <> '' offset 0) d,
        lateral (select c.id from contract c where c.id = d.contract_id and c.head_policy = 'hold' for share) c
      where u.reason is not null);
  end if;
  with ending as materialized (
    select u.position, u.head, u.reason, u.error, r.record_key, r.fence
    from unnest(positions, position_heads, reasons, reason_errors) u (position, head, reason, error) join unnest(runs) r on r.head = u.head
    where u.position between r.head and r.run_to),
  gone as (
    delete from delivery d using ending u
    where d.position >= u.position and d.position <= u.position and (u.position = u.head or d.record_key = u.record_key)
      and u.position <> all (held)
    returning d.position, d.seq, d.contract_id, attempt_after(d.attempt, u.reason) as attempt, d.last_error, u.head, u.reason, u.error),
  stays as (
    update delivery d
    set settled = true, due_at = 'infinity', ready_xid = null, lease_owner = null, lease_expires_at = null, run_to = null,
        fence = greatest(d.fence, u.fence)
    from ending u
    -- The first condition spares all others a look, since hardly ever anything is held.
    where held <> '{}' and d.position = any (held) and d.position = u.position and d.record_key = u.record_key
    returning d.position, d.seq, d.contract_id, attempt_after(d.attempt, u.reason) as attempt, d.last_error, u.head, u.reason, u.error),
  ended as materialized (select * from gone union all select * from stays),
  delivered as (
    insert into dispatched (seq, position, dispatched_by, attempt, contract_id, last_error)
    select seq, position, owner, attempt, contract_id, last_error from ended where reason is null),
  dead as (
    insert into dead_letter (seq, position, contract_id, failed_by, attempt, reason, error)
    select seq, position, contract_id, owner, attempt, reason, coalesce(error, '') from ended where reason is not null),
  last as (select e.head, max(e.position) as position, max(e.seq) as seq from ended e group by e.head)
  select array_agg((r.head, r.record_key, r.fence, r.run_to, r.expires_at, r.next, r.delay_ms, r.error, r.policy, l.position, l.seq)::settling order by r.head)
  into runs from unnest(runs) r left join last l on l.head = r.head;

  -- 3. The rest of a run: its lease moves on, or it is given back, now or later.
  unsettled := runs;
  if exists (select 1 from unnest(runs) r where r.last_settled is null or r.last_settled < r.run_to) then
    with rest as materialized (
      select r.*, case when coalesce(r.record_key, '') = '' then r.head else (
        select o.position from delivery o
        where (o.record_key, o.position) >= (r.record_key collate "C", r.head) and o.record_key <= r.record_key collate "C"
          and o.record_key <> '' order by o.record_key, o.position limit 1) end as position
      from unnest(runs) r where r.last_settled is null or r.last_settled < r.run_to),
    -- A record that failed has to be reached, else its attempt would not count: its row is waited for, as the rows that end are, and the
    -- caller bounds the wait. All others can be left to a tombstone.
    awaited as materialized (
      select d.position from (select position from rest where next = 'retry' and position <= run_to order by position) r,
        lateral (select d.position from delivery d where d.position = r.position for no key update) d),
    free as materialized (
      select d.position from delivery d
      where d.position = any (array(select position from rest where next <> 'retry' and position <= run_to)) for no key update skip locked),
    locked as materialized (select position from awaited union all select position from free),
    moved as (
      update delivery d
      set lease_owner = case when r.next = 'keep' then owner end,
          lease_expires_at = case when r.next = 'keep' then r.expires_at end,
          run_to = case when r.next = 'keep' then r.run_to end,
          fence = greatest(d.fence, r.fence), checked = true,
          attempt = case when r.next = 'retry' then attempt_after(d.attempt) else d.attempt end,
          crashes = case when r.next = 'retry' then 0 else d.crashes end,
          policy_id = coalesce(d.policy_id, r.policy),
          last_error = coalesce(r.error, d.last_error),
          due_at = case when r.next <> 'keep' and r.delay_ms > 0 then clock_timestamp() + r.delay_ms * interval '1 millisecond' end,
          ready_xid = case when r.next <> 'keep' and r.delay_ms > 0 then null else pg_current_xact_id() end
      from rest r join locked l on l.position = r.position
      where d.position >= r.position and d.position <= r.position and not d.settled
      returning r.head, case when r.next = 'keep' then d.position end as kept)
    select array_agg(r order by r.head) filter (where m.head is null), array_agg(m.kept order by r.head) filter (where m.kept is not null),
           array_agg(m.head order by r.head) filter (where m.kept is not null)
    into unsettled, kept, kept_by
    from unnest(runs) r left join moved m on m.head = r.head;
  end if;

  -- 4. Behind everything else that ended, the next row of the key wakes.
  select array_agg(r) into waking from unnest(unsettled) r where r.record_key <> '' and r.last_settled is not null;
  if waking is not null then
    select * into look from wake(array(select record_key from unnest(waking)), array(select r.head from unnest(waking) r), array(select fence from unnest(waking)));
    doubt := look.busy;
    if look.empty is not null then
      -- No successor is visible, but a writer may be about to commit one. Whoever gets the guard knows that none is, and looks again with a
      -- fresh snapshot. Where a look is never fresh, and where the guard is taken, a tombstone keeps the order of the key.
      if reads_fresh() then
        select array_agg(e.record_key) into free from unnest(look.empty) e (record_key)
        where pg_try_advisory_xact_lock(guard_space(), guard_stripe(e.record_key));
      end if;
      doubt := doubt || array(select e from unnest(look.empty) e except select f from unnest(free) f);
      if free is not null then
        select array_agg(r) into unsettled from unnest(waking) r join unnest(free) f (record_key) on f.record_key = r.record_key;
        select * into look from wake(array(select record_key from unnest(unsettled)), array(select r.head from unnest(unsettled) r), array(select fence from unnest(unsettled)));
        doubt := doubt || look.busy;
      end if;
    end if;
    if doubt <> '{}' then
      insert into delivery (position, seq, record_key, due_at, settled, fence)
      select r.last_settled, r.last_seq, r.record_key, clock_timestamp(), true, r.fence
      from unnest(waking) r join unnest(doubt) d (record_key) on d.record_key = r.record_key;
    end if;
  end if;

  return query select o.head, k.kept from unnest(owned) o (head) left join unnest(kept_by, kept) k (head, kept) on k.head = o.head;
end $$;

-- Settles what most settlements are: records without a key whose target accepted them. Nothing follows them, so they need no look and no lock
-- before they go. Gives the positions that were still owned.
create function {{schema}}.settle_accepted(owner uuid, positions bigint[], fences bigint[]) returns setof bigint
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
  with gone as (
    delete from delivery d using (select * from unnest(positions, fences) u (position, fence) order by position) u
    where d.position >= u.position and d.position <= u.position and d.fence = u.fence and d.lease_owner = owner and coalesce(d.record_key, '') = ''
    returning d.position, d.seq, d.contract_id, attempt_after(d.attempt) as attempt, d.last_error),
  delivered as (
    insert into dispatched (seq, position, dispatched_by, attempt, contract_id, last_error)
    select seq, position, owner, attempt, contract_id, last_error from gone)
  select position from gone;
end $$;

-- Ends tombstones. A visible successor is woken without the guard: position order is commit order, and later writers see a live row.
-- Gives how many tombstones are gone.
create function {{schema}}.sweep(most integer, retry_ms integer) returns integer
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off
set plan_cache_mode = force_generic_plan as $$
declare
  moment constant timestamptz := clock_timestamp();
  tombstone record;
  look record;
  sure boolean;
  swept integer := 0;
begin
  if not reads_fresh() then
    raise exception 'sweep needs READ COMMITTED' using errcode = 'WB003';
  end if;
  for tombstone in
    select position, record_key, fence from delivery where settled and due_at <= moment order by due_at limit most for update skip locked
  loop
    select * into look from wake(array[tombstone.record_key], array[tombstone.position + 1], array[tombstone.fence]);
    sure := look.empty is null and look.busy is null;
    if look.empty is not null and pg_try_advisory_xact_lock(guard_space(), guard_stripe(tombstone.record_key)) then
      select * into look from wake(array[tombstone.record_key], array[tombstone.position + 1], array[tombstone.fence]);
      sure := look.busy is null;
    end if;
    if sure then
      delete from delivery where position = tombstone.position;
      swept := swept + 1;
    else
      update delivery set due_at = clock_timestamp() + retry_ms * interval '1 millisecond' where position = tombstone.position;
    end if;
  end loop;
  return swept;
end $$;

-- Heartbeat: prolongs the leases of one owner. A row that somebody locks for a moment is skipped; it is given back as still owned, not renewed.
create function {{schema}}.renew(owner uuid, heads bigint[], fences bigint[], lease_ms bigint)
returns table (head bigint, renewed boolean)
language sql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
  with owned as materialized (
    select d.position, d.fence from unnest(heads, fences) u (position, fence),
      lateral (select * from delivery d where d.position = u.position and d.fence = u.fence and d.lease_owner = owner offset 0) d),
  locked as materialized (
    select d.position from (select * from owned order by position) o,
      lateral (select * from delivery d where d.position = o.position and d.fence = o.fence and d.lease_owner = owner for no key update skip locked) d),
  prolonged as (
    update delivery d set lease_expires_at = clock_timestamp() + lease_ms * interval '1 millisecond'
    where d.position = any (array(select position from locked))
    returning d.position)
  select o.position, p.position is not null from owned o left join prolonged p on p.position = o.position
$$;
