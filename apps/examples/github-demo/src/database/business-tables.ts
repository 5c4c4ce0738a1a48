/**
 * The tables of the two services and of the projection. Each entity carries a revision that its transaction increments: the row lock
 * makes the revisions of one entity follow its commits, so they are the ground truth that the end of the story is compared with.
 */
const SENT = /* sql */ `(
  message_id uuid primary key,
  record_key text not null,
  revision integer not null,
  step integer not null,
  version integer not null,
  unique (record_key, revision, step)
)`;

export const BUSINESS_TABLES: string = /* sql */ `
create schema tracker;
create table tracker.issue (id bigint primary key, title text not null, state text, revision integer not null);
create table tracker.pull_request (id bigint primary key, title text not null, state text not null, revision integer not null);
create table tracker.sent ${SENT};

create schema code_host;
create table code_host.repository (id bigint primary key, name text not null, last_ref text not null, revision integer not null);
create table code_host.release (id bigint primary key, tag text not null, last_action text not null, revision integer not null);
create table code_host.sent ${SENT};

create schema board;
create table board.card (record_key text primary key, headline text not null, status text not null, changes integer not null);
create table board.accepted (
  message_id uuid not null,
  record_key text not null,
  change integer not null,
  primary key (record_key, change)
);
`;
