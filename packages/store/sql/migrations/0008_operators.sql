-- What operators did, and what their questions need to be answered in milliseconds.

-- Every change that an operator made: who, what, why, what it was before and is since. "what" names messages by their ids.
create table {{schema}}.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  reason text not null,
  what jsonb not null,
  before jsonb,
  after jsonb,
  constraint audit_actor_form check (octet_length(actor) between 1 and 256),
  constraint audit_reason_form check (octet_length(reason) between 1 and 4096)
);
create index audit_what on {{schema}}.audit using gin (what jsonb_path_ops);

-- One row per replayed dead letter.
create table {{schema}}.replay (
  id bigint generated always as identity primary key,
  seq bigint not null,
  dead_letter_id bigint not null,
  actor text not null,
  reason text not null,
  requested_at timestamptz not null default clock_timestamp(),
  constraint replay_once unique (dead_letter_id)
);
create index replay_message on {{schema}}.replay (seq);

create function {{schema}}.refuse_history_change() returns trigger language plpgsql as $$
begin
  raise exception 'what operators did is only ever added to' using errcode = 'WB011';
end $$;
create trigger audit_is_append_only before update or delete on {{schema}}.audit
  for each row execute function {{schema}}.refuse_history_change();
create trigger replay_is_append_only before update or delete on {{schema}}.replay
  for each row execute function {{schema}}.refuse_history_change();

-- "What happened to Order/17?" must not read the whole table. It costs an eighth of the rate of bulk enqueue with unique keys.
create index message_key on {{schema}}.message (record_key, seq) where record_key <> '';

-- The first seq whose message was enqueued at or after a time, give or take messages that were written at the same moment: seq and time grow
-- together, so a bisection needs no index on the time. Null when there is none.
create function {{schema}}.seq_at(moment timestamptz) returns bigint
language plpgsql stable strict set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  low bigint := (select min(seq) from message);
  high bigint := (select max(seq) from message);
  middle bigint;
  probe record;
begin
  if low is null or (select enqueued_at < moment from message where seq = high) then return null; end if;
  while low < high loop
    middle := low + (high - low) / 2;
    -- Numbers may be missing: the next message there is.
    select seq, enqueued_at into probe from message where seq >= middle order by seq limit 1;
    if probe.enqueued_at < moment then low := probe.seq + 1; else high := middle; end if;
  end loop;
  return low;
end $$;

-- The audit of waiting rows: looks at up to "most" keys after "after_key", each by its first row alone, whatever waits behind it. A first row that
-- waits would wait for ever; under the guard, where nobody is about to change the key, it is woken. So is a key held by a dead letter that is
-- no longer open. All three counts must be 0 in a healthy store. last_key: where to go on; null at the end.
create function {{schema}}.audit_waiting(after_key text, most integer,
  out last_key text, out waiting bigint[], out orphaned bigint[], out healed integer)
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set enable_bitmapscan = off set jit = off as $$
declare
  suspect record;
begin
  if not reads_fresh() then
    raise exception 'the audit needs READ COMMITTED' using errcode = 'WB003';
  end if;
  with recursive head as (
    (select record_key, position, 1 as nth from delivery where record_key <> '' and record_key > after_key order by record_key, position limit 1)
    union all
    select n.record_key, n.position, h.nth + 1 from head h, lateral (
      select record_key, position from delivery where record_key <> '' and record_key > h.record_key order by record_key, position limit 1) n
    where h.nth < most),
  looked as materialized (
    select h.record_key, h.nth, d.position, not d.settled and d.ready_xid is null and d.due_at is null as stranded,
           d.settled and d.due_at = 'infinity' and not exists (
             select 1 from dead_letter l where l.seq = d.seq and l.position = d.position and l.replayed_at is null and l.discarded_at is null) as orphan
    from head h, lateral (select * from delivery d where d.position = h.position) d)
  select max(record_key) filter (where nth = most), coalesce(array_agg(position) filter (where stranded), '{}'),
         coalesce(array_agg(position) filter (where orphan), '{}')
  into last_key, waiting, orphaned from looked;

  update delivery set due_at = clock_timestamp() where position = any (orphaned) and settled;
  get diagnostics healed = row_count;
  for suspect in
    select d.position, d.record_key from unnest(waiting) w (position), lateral (select * from delivery d where d.position = w.position) d
    order by guard_stripe(d.record_key)
  loop
    perform pg_advisory_xact_lock(guard_space(), guard_stripe(suspect.record_key));
    -- Again, with a snapshot that was taken under the guard.
    update delivery d set ready_xid = case when d.not_before > statement_timestamp() then null else pg_current_xact_id() end,
      due_at = case when d.not_before > statement_timestamp() then d.not_before end, checked = true
    where d.position = suspect.position and not d.settled and d.ready_xid is null and d.due_at is null
      and not exists (select 1 from delivery o where o.record_key = suspect.record_key and o.record_key <> '' and o.position < suspect.position);
    if found then healed := healed + 1; end if;
  end loop;
end $$;
