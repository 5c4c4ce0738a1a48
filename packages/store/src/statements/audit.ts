import type { Executor } from '../executor.ts';
import type { AuditEntry } from '../operators/audit.ts';
import type { Store } from '../store.ts';

const auditText = (schema: string): string => `
insert into ${schema}.audit (actor, action, reason, what, before, after) values ($1, $2, $3, $4::text::jsonb, $5::text::jsonb, $6::text::jsonb)`;

const replayText = (schema: string): string => `
insert into ${schema}.replay (seq, dead_letter_id, actor, reason)
select l.seq, l.id, $2, $3 from unnest($1::bigint[]) u (id), lateral (select * from ${schema}.dead_letter l where l.id = u.id) l`;

/** Writes what an operator did, and for a replay one row per dead letter as well. */
export async function writeAudit(executor: Executor, store: Store, entry: AuditEntry): Promise<void> {
  const { actor, reason, what, after } = entry;
  await executor.query(auditText(store.quoted), [
    actor,
    entry.action,
    reason,
    ...[what, entry.before, after].map((part) => JSON.stringify(part)),
  ]);
  if (entry.action === 'replay') {
    await executor.query(replayText(store.quoted), [entry.before.map(({ deadLetter }) => deadLetter), actor, reason]);
  }
}
