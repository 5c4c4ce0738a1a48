-- Pull workers or the one batch drainer: never both, in one process or in many. The exclusion is a row and the registry, so that it survives poolers
-- and ends with the process that holds it.

-- Whoever drains in batches, until when.
create table {{schema}}.drain_lease (
  single boolean primary key default true,
  owner uuid,
  expires_at timestamptz,
  constraint drain_lease_one_row check (single),
  constraint drain_lease_whole check ((owner is null) = (expires_at is null))
);
insert into {{schema}}.drain_lease default values;

-- Whether a dispatcher has pull workers. They stop by themselves when they could not renew their leases, so silence ends it.
alter table {{schema}}.dispatcher add column pulls boolean not null default false;

-- An operator's word that a red gate is to be passed, until it expires.
create table {{schema}}.gate_override (
  id bigint generated always as identity primary key,
  gate text not null,
  actor text not null,
  reason text not null,
  granted_at timestamptz not null default clock_timestamp(),
  until timestamptz not null,
  constraint gate_override_gate_known check (gate in ('pull-worker'))
);

-- Takes or keeps the lease of the batch drainer. Gives entered | batch (somebody else has it) | pull (pull workers are still there).
create function {{schema}}.enter_batch(me uuid, lease_ms bigint) returns text
language plpgsql set search_path = {{schema}}, pg_temp as $$
declare
  lease drain_lease;
begin
  select * into lease from drain_lease for update;
  if lease.owner <> me and lease.expires_at > clock_timestamp() then return 'batch'; end if;
  if exists (
    select 1 from dispatcher d where d.pulls and d.left_at is null and d.id <> me
      and d.seen_at > clock_timestamp() - d.lease_ms * interval '1 millisecond')
  then return 'pull'; end if;
  update dispatcher set pulls = false where id = me and pulls;
  update drain_lease set owner = me, expires_at = clock_timestamp() + lease_ms * interval '1 millisecond';
  return 'entered';
end $$;

-- Lets a dispatcher have pull workers. Gives entered | batch (the batch drainer is still there).
create function {{schema}}.enter_pull(me uuid) returns text
language plpgsql set search_path = {{schema}}, pg_temp as $$
declare
  lease drain_lease;
begin
  select * into lease from drain_lease for update;
  if lease.owner <> me and lease.expires_at > clock_timestamp() then return 'batch'; end if;
  update drain_lease set owner = null, expires_at = null where owner = me;
  update dispatcher set pulls = true where id = me;
  return 'entered';
end $$;

-- Ends either.
create function {{schema}}.leave_drain(me uuid) returns void
language sql set search_path = {{schema}}, pg_temp as $$
  update drain_lease set owner = null, expires_at = null where owner = me;
  update dispatcher set pulls = false where id = me and pulls
$$;
