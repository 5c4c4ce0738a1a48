import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { SETTINGS } from './settings.ts';

const DEPLOY = fileURLToPath(new URL('../../../../deploy/', import.meta.url));
const read = (name: string): Promise<string> => readFile(join(DEPLOY, name), 'utf8');

const TERMINATION_S = SETTINGS['shutdown.terminationMs'].default / 1_000;
const PORT = SETTINGS['health.port'].default;
/** Variables that a file sets and this program would not read are mistakes. */
const VARIABLES = new Set(Object.values(SETTINGS).flatMap(({ env }) => [env, `${env}_FILE`]));

test('the Kubernetes manifest fits the drain, the probes and a process without rights', async () => {
  const [manifest, ...more] = parseAllDocuments(await read('kubernetes.yaml'), { strict: true, uniqueKeys: true });
  expect([manifest?.errors, more]).toEqual([[], []]);
  const deployment: unknown = manifest?.toJS();
  expect(deployment).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      strategy: { rollingUpdate: { maxUnavailable: 0 } },
      template: {
        spec: {
          terminationGracePeriodSeconds: TERMINATION_S,
          securityContext: { runAsNonRoot: true },
          containers: [
            {
              ports: [{ name: 'health', containerPort: PORT }],
              livenessProbe: { httpGet: { path: '/livez', port: 'health' } },
              readinessProbe: { httpGet: { path: '/readyz', port: 'health' } },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                capabilities: { drop: ['ALL'] },
              },
              resources: { requests: { cpu: '100m' }, limits: { memory: '512Mi' } },
            },
          ],
        },
      },
    },
  });
});

test.each(['kubernetes.yaml', 'waybill.service', 'Containerfile'])(
  '%s sets no variable that nobody reads',
  async (name) => {
    const named = (await read(name)).match(/WAYBILL_[A-Z_]+/g) ?? [];
    expect(named).not.toEqual([]);
    expect(named.filter((variable) => !VARIABLES.has(variable))).toEqual([]);
  },
);

test('the container runs without root, gets the signal itself and answers for its health', async () => {
  const file = await read('Containerfile');
  // Without a shell in between, which would keep SIGTERM to itself.
  expect(file).toMatch(/^ENTRYPOINT \["node", /m);
  expect(file).toMatch(/^STOPSIGNAL SIGTERM$/m);
  expect(file).toMatch(/^USER 1000:1000$/m);
  expect(file).toMatch(/^HEALTHCHECK .*"health"\]$/m);
  expect(file).toMatch(new RegExp(`^EXPOSE ${String(PORT)}$`, 'm'));
});

test('the systemd unit gives the drain its time, and systemd accepts it where there is one', async () => {
  const unit = await read('waybill.service');
  expect(unit).toMatch(new RegExp(`^TimeoutStopSec=${String(TERMINATION_S)}$`, 'm'));
  const known = /^(\[(Unit|Service|Install)\]|#.*|[A-Z][A-Za-z]+=.*|)$/;
  expect(unit.split('\n').filter((line) => !known.test(line))).toEqual([]);
  expect(await systemdProblems(unit)).toBe('');
});

/** What `systemd-analyze verify` says about a unit whose program and user are there; nothing where there is no systemd. */
async function systemdProblems(unit: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-unit-'));
  try {
    const file = join(directory, 'waybill.service');
    await writeFile(
      file,
      unit.replace(/^ExecStart=\S+/m, `ExecStart=${process.execPath}`).replace(/^User=.*$/m, 'User=root'),
    );
    const { stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', file]);
    return stderr
      .split('\n')
      .filter((line) => line.includes('waybill.service'))
      .join('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  } finally {
    await rm(directory, { recursive: true });
  }
}
