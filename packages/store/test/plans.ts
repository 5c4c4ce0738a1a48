import type { Session } from './session.ts';

/** One node of a plan that was run, as auto_explain reports it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Shared Hit Blocks'?: number;
  readonly 'Shared Read Blocks'?: number;
  readonly Plans?: readonly PlanNode[];
}

export interface PlanFacts {
  /** Scans that read a table of ours otherwise than by an index in its order or at a known place, as `Seq Scan on message`. */
  readonly otherScans: readonly string[];
  /** Rows of `delivery` that were read, those that a filter dropped among them. */
  readonly deliveriesRead: number;
  readonly messagesRead: number;
  /** Pages that the costliest statement touched, those of what it called included. */
  readonly blocks: number;
}

const INDEX_SCANS: ReadonlySet<string> = new Set(['Index Scan', 'Index Only Scan', 'Tid Scan']);

/** Makes the session report the plan of every statement, inside functions too, of `fn`, and gives what they did. */
export async function explain(session: Session, fn: () => Promise<unknown>): Promise<PlanFacts> {
  const notices: string[] = [];
  const listen = (notice: { readonly message?: string | undefined }): void => void notices.push(notice.message ?? '');
  await session.query(
    `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on; set auto_explain.log_analyze = on;
     set auto_explain.log_timing = off; set auto_explain.log_buffers = on; set auto_explain.log_format = json; set auto_explain.log_level = notice`,
  );
  session.native.on('notice', listen);
  await fn();
  session.native.off('notice', listen);
  await session.query('set auto_explain.log_min_duration = -1');
  const plans = notices.map((text) => (JSON.parse(text.slice(text.indexOf('{'))) as { Plan: PlanNode }).Plan);
  const nodes = plans.flatMap(nodesOf);
  const scans = nodes.filter(
    (node) =>
      node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan') && (node['Actual Loops'] ?? 0) > 0,
  );
  if (scans.length === 0) throw new Error('no plan was reported');
  return {
    otherScans: scans
      .filter((node) => !INDEX_SCANS.has(node['Node Type']))
      .map((node) => `${node['Node Type']} on ${String(node['Relation Name'])}`),
    deliveriesRead: rowsRead(scans, 'delivery'),
    messagesRead: rowsRead(scans, 'message'),
    blocks: Math.max(...plans.map((plan) => (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0))),
  };
}

function rowsRead(scans: readonly PlanNode[], table: string): number {
  return scans
    .filter((node) => node['Relation Name'] === table)
    .reduce(
      (sum, node) =>
        sum + ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0),
      0,
    );
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
