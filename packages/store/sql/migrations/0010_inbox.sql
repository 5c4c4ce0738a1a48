-- The inbox: which messages a consumer has worked on. It is of no use to the outbox and needs none of it: consumers install this file alone in
-- a database of theirs, and maybe the whole outbox beside it later. Hence "if not exists" and "or replace".
create table if not exists {{schema}}.inbox (
  consumer text collate "C" not null,
  message_id text collate "C" not null,
  seen_at timestamptz not null default clock_timestamp(),
  constraint inbox_once primary key (consumer, message_id),
  constraint inbox_consumer_form check (octet_length(consumer) between 1 and 255),
  constraint inbox_message_id_form check (octet_length(message_id) between 1 and 255)
);
-- Retention walks it from its old end.
create index if not exists inbox_age on {{schema}}.inbox (seen_at);

-- Enters a message in the caller's transaction. first: do the work, and commit both together. repeat: it has been done, skip it. While another
-- transaction has entered the same message, this waits for its end: its commit makes a repeat of ours, its rollback a first.
-- transaction_id, and whose rights it has: as for enqueue.
create or replace function {{schema}}.inbox(consumer text, message_id text, transaction_id text default null) returns text
language plpgsql security definer set search_path = {{schema}}, pg_temp as $$
#variable_conflict use_variable
declare
  own_id constant text := pg_current_xact_id_if_assigned()::text;
begin
  if own_id is null and transaction_id is not null or transaction_id not in (own_id, 'any') then
    raise exception 'the transaction of this inbox entry is gone: its connection was lost, or it has ended' using errcode = 'WB001';
  end if;
  if current_setting('transaction_isolation') in ('read committed', 'read uncommitted') then
    insert into inbox (consumer, message_id) values (consumer, message_id) on conflict on constraint inbox_once do nothing;
    return case when found then 'first' else 'repeat' end;
  end if;
  -- An older snapshot may not contain the row that is in the way. "on conflict" would then abort the transaction; a savepoint of our own does not.
  begin
    insert into inbox (consumer, message_id) values (consumer, message_id);
    return 'first';
  exception when unique_violation then
    return 'repeat';
  end;
end $$;
revoke execute on function {{schema}}.inbox from public;
