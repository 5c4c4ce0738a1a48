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
