-- The registry of writers: services that said at their start what they write. Enqueue works without it; who is not in it is invisible to gates.
create table {{schema}}.writer (
  -- Messages carry it as written_by.
  id integer generated always as identity primary key,
  build text not null,
  -- The newest generation of the tables that the build knows: one of an older generation may write messages without a record key.
  generation integer not null,
  -- The contracts that it writes, by id.
  writes integer[] not null,
  started_at timestamptz not null default statement_timestamp(),
  seen_at timestamptz not null default statement_timestamp(),
  left_at timestamptz,
  constraint writer_build_form check (octet_length(build) between 1 and 256),
  constraint writer_generation_known check (generation >= 1)
);
