import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
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

/** The instructions of a container file, comments left out and lines joined. */
async function instructions(): Promise<readonly { readonly name: string; readonly rest: string }[]> {
  const text = (await read('Containerfile')).replace(/^#.*\n/gm, '').replace(/\\\n/g, ' ');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      return { name, rest };
    });
}

// https://docs.docker.com/reference/dockerfile: those that this file has any use for.
const INSTRUCTIONS = ['FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'USER', 'EXPOSE', 'STOPSIGNAL', 'HEALTHCHECK'];

test('D04: the container file is made of instructions that there are, and of stages and forms that fit', async () => {
  const found = await instructions();
  expect(
    found.map(({ name }) => name).filter((name) => ![...INSTRUCTIONS, 'ENTRYPOINT', 'CMD'].includes(name)),
  ).toEqual([]);
  const restsOf = (wanted: string): readonly string[] =>
    found.flatMap(({ name, rest }) => (name === wanted ? [rest] : []));
  expect(found[0]?.name).toBe('FROM');
  const stages = restsOf('FROM').flatMap((rest) => / AS (\w+)$/.exec(rest)?.slice(1) ?? []);
  const used = restsOf('COPY').flatMap((rest) => /--from=(\w+)/.exec(rest)?.slice(1) ?? []);
  expect(used).toEqual(stages);
  // What no stage brings comes from the folder that the packages were packed into.
  expect(restsOf('COPY').filter((rest) => !rest.startsWith('--from='))).toEqual(['packages/*.tgz /packages/']);
  for (const rest of [...restsOf('ENTRYPOINT'), ...restsOf('CMD'), restsOf('HEALTHCHECK')[0]?.split(' CMD ')[1] ?? ''])
    expect(JSON.parse(rest)).toEqual(expect.any(Array));
});

test('D04: container and unit start the program that the package has', async () => {
  const { bin } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly bin: { readonly waybill: string };
  };
  const program = posix.join('node_modules/@waybill/dispatcher', bin.waybill);
  for (const line of [/^HEALTHCHECK .*$/m, /^ENTRYPOINT .*$/m])
    expect((await read('Containerfile')).match(line)?.[0]).toContain(`"${program}"`);
  expect(await read('waybill.service')).toMatch(new RegExp(`^ExecStart=/usr/bin/node \\S+/${program} run$`, 'm'));
});

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
