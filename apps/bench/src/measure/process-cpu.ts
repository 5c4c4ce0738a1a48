import { readdir, readFile } from 'node:fs/promises';

// What Linux counts CPU in, on every architecture that Node runs on.
const TICKS_PER_SECOND = 100;
const CONTENT_AFTER_NAME = /^\d+ \(.*\) (.*)$/s;

interface Stat {
  readonly parent: number;
  readonly ownTicks: number;
  /** Of children that have ended. */
  readonly childrenTicks: number;
}

/** CPU milliseconds of a server and all its backends, those that have ended too. NaN where there is no /proc. */
export async function serverCpuMs(pid: number | undefined): Promise<number> {
  const stats = await readStats();
  const server = pid === undefined ? undefined : stats.get(pid);
  if (server === undefined) return Number.NaN;
  const backends = [...stats.values()].filter(({ parent }) => parent === pid);
  const ticks = backends.reduce((sum, { ownTicks }) => sum + ownTicks, server.ownTicks + server.childrenTicks);
  return (ticks * 1_000) / TICKS_PER_SECOND;
}

/** CPU milliseconds that a process has used. NaN where there is no /proc. */
export async function processCpuMs(pid: number | undefined): Promise<number> {
  const stat = pid === undefined ? null : await readStat(pid);
  return stat === null ? Number.NaN : (stat.ownTicks * 1_000) / TICKS_PER_SECOND;
}

async function readStats(): Promise<ReadonlyMap<number, Stat>> {
  const names = await readdir('/proc').catch((): string[] => []);
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const stats = await Promise.all(pids.map(async (pid) => [pid, await readStat(pid)] as const));
  return new Map(stats.flatMap(([pid, stat]) => (stat === null ? [] : [[pid, stat]])));
}

async function readStat(pid: number): Promise<Stat | null> {
  // A process that has ended meanwhile has no file any more.
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = CONTENT_AFTER_NAME.exec(text)?.[1]?.split(' ').map(Number);
  if (fields === undefined) return null;
  const [, parent = 0, , , , , , , , , , user = 0, system = 0, childUser = 0, childSystem = 0] = fields;
  return { parent, ownTicks: user + system, childrenTicks: childUser + childSystem };
}
