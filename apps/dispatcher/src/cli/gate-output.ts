import type { DrainingReport, GateReport, GateVerdict } from '@waybill/store';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type Output, table } from './output.ts';

/** What a pipeline goes by: only safe is 0. */
export const EXIT_OF_VERDICT: Readonly<Record<GateVerdict, ExitCode>> = {
  safe: EXIT.ok,
  unsafe: EXIT.failed,
  unknown: EXIT.notFound,
};

/** What some gates say beside the rest. */
interface Extras extends Partial<Pick<DrainingReport, 'forecast'>> {
  /** Of the version that is to be retired; null where the store does not know it. */
  readonly revision?: number | null;
}

export function gateOutput(report: GateReport & Extras): Output {
  return { document: { ...report, checkedAt: report.checkedAt.toISOString() }, text: () => describe(report) };
}

function describe({
  gate,
  subject,
  verdict,
  blockers,
  notes,
  forecast = [],
  revision = null,
}: Parameters<typeof gateOutput>[0]): string {
  const rows = blockers.map((blocker) => [
    `${blocker.type}@${String(blocker.version)}`,
    blocker.state,
    `${blocker.capped ? '>=' : ''}${String(blocker.count)}`,
    blocker.oldestAgeSeconds === 0 ? '-' : `${String(blocker.oldestAgeSeconds)}s`,
    blocker.detail,
  ]);
  const drains = forecast.map(({ type, version, drainedInSeconds }) =>
    drainedInSeconds === null
      ? `${type}@${String(version)}: no forecast, nothing was delivered in the last minute or not all was counted`
      : `${type}@${String(version)}: drained in about ${String(drainedInSeconds)}s at the pace of the last minute`,
  );
  return [
    `${gate} ${subject}: ${verdict}`,
    ...(rows.length === 0 ? [] : [table([['version', 'state', 'count', 'oldest', 'why'], ...rows])]),
    ...drains,
    ...(revision === null ? [] : [`revision ${String(revision)}`]),
    ...notes.map((note) => `note: ${note}`),
  ].join('\n');
}
