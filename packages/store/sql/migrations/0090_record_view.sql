-- One row per message, for people: where it stands, what happened last, what comes next.
create view {{schema}}.record as
select m.id, c.kind, c.type, c.schema_version, m.occurred_at, m.enqueued_at, m.tenant, m.record_key, m.event_id as event, m.headers, m.payload,
  case when d.position is not null then case when lease.expires_at > statement_timestamp() then 'processing' else 'pending' end
       when done.seq is not null then 'dispatched' else 'dead-letter' end as state,
  case when d.position is null or lease.expires_at > statement_timestamp() then null
       when d.ready_xid is null and d.due_at is null and (
         select h.settled and h.due_at = 'infinity' from {{schema}}.delivery h
         where h.record_key = d.record_key and h.record_key <> '' order by h.position limit 1) then 'held'
       when {{schema}}.is_paused(c.type) then 'paused'
       when not exists (
         select 1 from {{schema}}.dispatcher w
         where {{schema}}.vouches(w) and d.contract_id = any (w.capabilities)) then 'no-reader'
       when d.due_at is not null then 'timed'
       when d.ready_xid is not null then 'ready'
       else 'behind' end as pending_reason,
  coalesce(d.attempt, done.attempt, dead.attempt) as attempt,
  case when d.position is not null then coalesce(d.due_at, d.not_before, m.enqueued_at) end as next_attempt_at,
  coalesce(d.last_error, done.last_error, dead.error) as last_error,
  coalesce(done.dispatched_at, dead.failed_at) as completed_at,
  case when lease.expires_at > statement_timestamp() then lease.owner end as lease_owner,
  case when lease.expires_at > statement_timestamp() then lease.expires_at end as lease_expires_at,
  lease.fence,
  m.written_by,
  coalesce(done.dispatched_by, dead.failed_by) as delivered_by
from {{schema}}.message m
join {{schema}}.contract c on c.id = m.contract_id
-- A replayed message lives where its last replay has put it. "limit" keeps this look apart: PostgreSQL before 18 would otherwise
-- compare every live row with every message, since it takes no index for a place that a sub-select names.
left join lateral (
  select * from {{schema}}.delivery d
  where not d.settled and d.position = coalesce(
    (select l.replayed_as from {{schema}}.dead_letter l where l.seq = m.seq order by l.id desc limit 1), m.seq)
  limit 1) d on true
-- The lease of a run is on its head alone, so a record is in process where its key's head reaches it.
left join lateral (
  select h.lease_owner as owner, h.lease_expires_at as expires_at, h.fence from {{schema}}.delivery h
  where h.position = d.position and h.lease_owner is not null
  union all
  select h.lease_owner, h.lease_expires_at, h.fence from (
    select * from {{schema}}.delivery h
    where h.record_key = d.record_key and h.record_key <> '' and h.position < d.position and not h.settled order by h.position limit 1) h
  where h.run_to >= d.position
  limit 1) lease on d.position is not null
left join lateral (select * from {{schema}}.dispatched x where x.seq = m.seq order by x.position desc limit 1) done on d.position is null
left join lateral (select * from {{schema}}.dead_letter x where x.seq = m.seq order by x.id desc limit 1) dead on d.position is null and done.seq is null;
