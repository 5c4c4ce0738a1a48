/**
 * Counts waiting rows that nobody will wake: those without an elder in their key. One pass over the table: a look for an elder row by row
 * is quadratic in a deep key wherever the planner knows nothing of it yet.
 */
export const STRANDED = `
  select count(*)::integer as count from (
    select distinct on (coalesce(nullif(record_key, ''), position::text)) ready_xid, due_at from waybill.delivery
    order by coalesce(nullif(record_key, ''), position::text), position) first_of_key
  where ready_xid is null and due_at is null`;
