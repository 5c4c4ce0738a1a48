-- Generation 1 and before everything else: who dispatches, which of them drains, and what they could not read.
-- {{schema}} is the only placeholder; it arrives quoted.

-- The registry of running dispatchers. The id is the owner of leases: a process that lost its connection comes back under a new one.
create table {{schema}}.dispatcher (
  id uuid primary key,
  build text not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  left_at timestamptz,
  draining boolean not null default false,
  -- An operator wants it to drain. It does at its next heartbeat.
  drain_asked_at timestamptz,
  capabilities integer[] not null,
  -- Contracts that it has given up, since it turned out not to read them; they are no longer among what it can do.
  unreadable integer[] not null default '{}',
  -- What it takes to tell a crash from a lease that merely ran out: how long its leases last, how often it beats, since
  -- when its heartbeats have no gap (so that the store was there), and which deliveries were in a handler at the last one.
  lease_ms bigint not null,
  heartbeat_ms integer not null default 10000,
  steady_since timestamptz not null default clock_timestamp(),
  in_hand bigint[] not null default '{}',
  -- Whether it has pull workers. They stop by themselves when they could not renew their leases, so silence ends it.
  pulls boolean not null default false,
  -- Where it takes which type: type -> destination.
  routing jsonb not null default '{}',
  -- What a build says of itself besides what it reads. hands_over: type -> the version that its target or handler gets, where that is not the
  -- stored one; with the build it tells how each of its deliveries was read.
  writers jsonb not null default '{}',
  hands_over jsonb not null default '{}',
  -- It has little to do and listens: a hint at the commit of a message spares it the wait until it asks again.
  wants_hints boolean not null default false,
  constraint dispatcher_heartbeat_form check (heartbeat_ms between 1 and 300000)
);

-- How long a dispatcher is silent before it is taken for dead: two heartbeats missed, and half of a third.
create function {{schema}}.silence(d {{schema}}.dispatcher) returns interval language sql immutable
return d.heartbeat_ms * interval '2.5 milliseconds';

-- Silence never makes a gate green. A dispatcher that missed a heartbeat soon stops to vouch for what it reads, but goes on to count, for four times
-- as long, as a build that must be able to read what is written: it may only be slow. Both times follow from its own heartbeat.

-- Whether a dispatcher is there, or may come back: it has to be able to read what is written.
create function {{schema}}.counts(d {{schema}}.dispatcher) returns boolean language sql stable
return d.left_at is null and not d.draining and d.seen_at > clock_timestamp() - greatest(interval '30 seconds', d.heartbeat_ms * interval '12 milliseconds');
-- Whether it surely is there: what it reads has a reader.
create function {{schema}}.vouches(d {{schema}}.dispatcher) returns boolean language sql stable
return d.left_at is null and not d.draining and d.seen_at > clock_timestamp() - greatest(interval '30 seconds', d.heartbeat_ms * interval '3 milliseconds');

-- Where hints go: the names of channels are no longer than those of schemas, so the schema's own does not fit in whole.
create function {{schema}}.hint_channel() returns text language sql immutable parallel safe
return 'waybill_' || md5({{schema_literal}});

-- Whether a dispatcher is there that a hint would wake.
create function {{schema}}.wants_hint() returns boolean language sql stable
return exists (
  select from {{schema}}.dispatcher d
  where d.wants_hints and d.seen_at > statement_timestamp() - interval '1 hour' and {{schema}}.counts(d));

-- Tells the dispatchers that listen to look for messages once this transaction has committed. Constant and short, so that a transaction gives one, and
-- no payload can be too long. Not where it could fail a transaction: one that may be prepared for a two-phase commit, or with the queue half full.
create function {{schema}}.give_hint() returns void language plpgsql set search_path = {{schema}}, pg_temp as $$
begin
  if current_setting('max_prepared_transactions') = '0' and pg_notification_queue_usage() < 0.5 then
    perform pg_notify(hint_channel(), '');
  end if;
end $$;
revoke execute on function {{schema}}.give_hint() from public;

-- Which builds could not read a message after all, and why.
create table {{schema}}.unreadable (
  seq bigint not null,
  build text not null,
  why text not null,
  noted_at timestamptz not null default clock_timestamp(),
  primary key (seq, build)
);

-- Notes that a build could not read a message. Gives whether nobody can: this build has failed on it before, so that others had their turn, and so has
-- every other live build that claims the contract.
create function {{schema}}.note_unreadable(of_seq bigint, of_contract integer, by_build text, reason text) returns boolean
language plpgsql set search_path = {{schema}}, pg_temp set enable_seqscan = off set jit = off as $$
declare
  again constant boolean := exists (select from unreadable u where u.seq = of_seq and u.build = by_build);
begin
  insert into unreadable (seq, build, why) values (of_seq, by_build, reason)
  on conflict (seq, build) do update set why = excluded.why, noted_at = excluded.noted_at;
  return again and not exists (
    select from dispatcher d
    where of_contract = any (d.capabilities) and counts(d)
      and not exists (select from unreadable u where u.seq = of_seq and u.build = d.build));
end $$;

-- Pull workers or the one batch drainer: never both, in one process or in many. The exclusion is a row and the registry, so that it survives poolers
-- and ends with the process that holds it. Whoever drains in batches, until when.
create table {{schema}}.drain_lease (
  single boolean primary key default true,
  owner uuid,
  expires_at timestamptz,
  constraint drain_lease_one_row check (single),
  constraint drain_lease_whole check ((owner is null) = (expires_at is null))
);
insert into {{schema}}.drain_lease default values;

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

-- Counters stay at the last number of their width. An overflow would fail the claim or the settlement of all that stands beside the one record.
-- A record that killed its processes, and one that nobody could read, was not tried when it ended.
create function {{schema}}.attempt_after(attempt integer, reason text default null) returns integer language sql immutable parallel safe
return case when reason in ('crash-loop', 'unreadable') then attempt else least(attempt, 2147483646) + 1 end;
create function {{schema}}.next_fence(fence bigint) returns bigint language sql immutable parallel safe
return least(fence, 9223372036854775806) + 1;

-- Whether a message says no more than everybody can read: headers by name, and times that each language and each transport can write.
create function {{schema}}.is_legible(headers json, occurred_at timestamptz, due_at timestamptz) returns boolean language sql immutable parallel safe
return coalesce(json_typeof(headers) = 'object', true)
  and coalesce(occurred_at >= timestamptz '0001-01-01 00:00+00' and occurred_at < timestamptz '10000-01-01 00:00+00', true)
  and coalesce(due_at >= timestamptz '0001-01-01 00:00+00' and due_at < timestamptz '10000-01-01 00:00+00', true);
