-- Generation 2: messages about one thing stay in order. The column is null only in rows written before it existed;
-- a message without a key stores the empty string, which takes no guard and has no entry in the key index.
-- COLLATE "C": the order of a locale changes with the operating system's libraries, and with it every look at the head of a key.
alter table {{schema}}.message add column record_key text collate "C";
alter table {{schema}}.delivery add column record_key text collate "C";
create index delivery_key on {{schema}}.delivery (record_key, position) where record_key <> '';
-- What the backfill has yet to do, and what code that does not know of keys has written since: empty as a rule.
create index message_keyless on {{schema}}.message (seq) where record_key is null;
create index delivery_keyless on {{schema}}.delivery (position) where record_key is null;

-- Only the backfill of a missing key may touch a message, and nothing but the key.
create or replace function {{schema}}.refuse_message_change() returns trigger language plpgsql as $$
begin
  if old.record_key is null and new.record_key is not null
     and (new.seq, new.id, new.contract_id, new.written_by, new.occurred_at, new.enqueued_at, new.tenant, new.event_id)
         is not distinct from
         (old.seq, old.id, old.contract_id, old.written_by, old.occurred_at, old.enqueued_at, old.tenant, old.event_id)
     and new.payload::text = old.payload::text and new.headers::text is not distinct from old.headers::text then
    return new;
  end if;
  raise exception 'a message never changes once written' using errcode = 'WB010';
end $$;
