-- What operators have paused: a message type, or a destination by the name that the dispatchers' routes give it. Nothing of it is claimed until it
-- is resumed; it uses up no attempt and keeps its order.
create table {{schema}}.pause (
  id bigint generated always as identity primary key,
  type text collate "C",
  destination text collate "C",
  actor text not null,
  reason text not null,
  paused_at timestamptz not null default clock_timestamp(),
  constraint pause_of_one_thing check (num_nonnulls(type, destination) = 1)
);
create unique index pause_type on {{schema}}.pause (type) where type is not null;
create unique index pause_destination on {{schema}}.pause (destination) where destination is not null;

-- Whether a record of this type waits for an operator; a pause of a destination is told from it by where the dispatchers take its type.
create function {{schema}}.is_paused(message_type text) returns boolean language sql stable
return exists (
  select 1 from {{schema}}.pause p
  where p.type = message_type or exists (
    select 1 from {{schema}}.dispatcher w
    where {{schema}}.vouches(w) and w.routing ->> message_type = p.destination));
