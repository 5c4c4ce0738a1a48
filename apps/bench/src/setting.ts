import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type { Probe } from './measure/probe.ts';
import { SERVER_SETTINGS } from './measure/server.ts';
import type { Setting } from './report/report.ts';

const PEERS = ['graphile-worker', 'pg-boss', 'pg-transactional-outbox', 'pg'];

/** Machine, versions and settings, as they are printed above every result. */
export async function readSetting(probe: Probe, node: string, date: Date): Promise<Setting> {
  const [server] = await probe.query('show server_version');
  const [first] = cpus();
  return {
    machine: {
      cpu: (first?.model ?? 'unknown').trim(),
      cores: cpus().length,
      memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
      system: `${platform()} ${release()} ${arch()}`,
    },
    versions: {
      node,
      postgresql: String(server?.['server_version']),
      ...Object.fromEntries(PEERS.map((name) => [name, versionOf(name)])),
    },
    server: SERVER_SETTINGS,
    date: date.toISOString().slice(0, 10),
  };
}

/** From the manifest above the package's entry: not every package exports its manifest. */
function versionOf(name: string): string {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  for (;;) {
    try {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
        readonly name?: string;
        readonly version?: string;
      };
      if (manifest.name === name && manifest.version !== undefined) return manifest.version;
    } catch (error) {
      if (folder === dirname(folder)) throw new Error(`the version of ${name} cannot be found`, { cause: error });
    }
    folder = dirname(folder);
  }
}
