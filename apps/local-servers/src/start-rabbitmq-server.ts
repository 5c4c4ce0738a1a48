import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServerCertificate } from './certificate-authority.ts';
import { freePort } from './free-port.ts';
import { removeDirectory } from './remove-directory.ts';
import { type ServerProcess, startServerProcess } from './start-server-process.ts';

/** A broker private to whoever started it: its own node, name server and directory, on 127.0.0.1 alone. */
export interface RabbitMqServer {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Makes the broker take no messages, as it does when memory runs out, or ends that. */
  setMemoryAlarm(on: boolean): Promise<void>;
  /** Changes the largest body that the broker takes. */
  setMaxMessageSize(bytes: number): Promise<void>;
  stop(): Promise<void>;
}

const USER = 'waybill';
const PASSWORD = 'right';

// Seconds on a machine that does nothing else, minutes on one that does much.
const BOOT_TIMEOUT_MS = 300_000;
// The schedulers of Erlang spin for a while when they have nothing to do, which takes the processor from everybody else.
const NO_SPINNING = '+sbwt none +sbwtdcpu none +sbwtdio none';

/** Starts a broker; `program` is the path of `rabbitmq-server`. With a certificate it speaks TLS alone. */
export async function startRabbitMqServer(program: string, certificate?: ServerCertificate): Promise<RabbitMqServer> {
  const directory = await mkdtemp(join(tmpdir(), 'waybill-rabbitmq-'));
  const [port, names, distribution] = [await freePort(), await freePort(), await freePort()];
  const node = `waybill-${port}@localhost`;
  const environment = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: directory, // of the cookie
    ERL_EPMD_PORT: String(names),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: node,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: NO_SPINNING,
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: join(directory, 'data'),
    RABBITMQ_LOG_BASE: join(directory, 'log'),
    RABBITMQ_CONFIG_FILE: join(directory, 'rabbitmq'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'plugins'),
    RABBITMQ_CONF_ENV_FILE: join(directory, 'none'),
  };
  await writeFile(join(directory, 'rabbitmq.conf'), configuration(port, certificate));
  await writeFile(join(directory, 'plugins'), '[].');

  const started: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const process of started.reverse()) await process.stop();
    await removeDirectory(directory);
  };
  try {
    // Erlang starts one on its own where there is none, and that one would outlive the broker.
    const epmd = { program: 'epmd', args: ['-port', String(names), '-address', '127.0.0.1'], port: names };
    started.push(await startServerProcess(epmd));
    const broker = { program, args: [], env: environment, port, startTimeoutMs: BOOT_TIMEOUT_MS };
    started.push(await startServerProcess({ ...broker, stopSignal: 'SIGKILL' }));
  } catch (error) {
    await stop();
    throw error;
  }

  const call = async (expression: string): Promise<void> => {
    const cookie = await readFile(join(directory, '.erlang.cookie'), 'utf8');
    await promisify(execFile)('erl_call', ['-c', cookie, '-n', node, '-a', expression], { env: environment });
  };
  return {
    port,
    user: USER,
    password: PASSWORD,
    // A fraction of the machine's memory that is always, or never, used up.
    setMemoryAlarm: (on) => call(`vm_memory_monitor set_vm_memory_high_watermark [${on ? '0.0000001' : '0.9'}]`),
    setMaxMessageSize: (bytes) => call(`application set_env [rabbit,max_message_size,${bytes}]`),
    stop,
  };
}

function configuration(port: number, certificate: ServerCertificate | undefined): string {
  return [
    ...(certificate ? overTls(certificate, port) : [`listeners.tcp.default = 127.0.0.1:${port}`]),
    'distribution.listener.interface = 127.0.0.1',
    `default_user = ${USER}`,
    `default_pass = ${PASSWORD}`,
    'log.file = false',
    'log.console = true',
    'log.console.level = error',
    'disk_free_limit.absolute = 1MB',
    '',
  ].join('\n');
}

function overTls({ certificateFile, keyFile, authorityFile }: ServerCertificate, port: number): readonly string[] {
  return [
    'listeners.tcp = none',
    `listeners.ssl.default = 127.0.0.1:${port}`,
    `ssl_options.certfile = ${certificateFile}`,
    `ssl_options.keyfile = ${keyFile}`,
    `ssl_options.cacertfile = ${authorityFile}`,
    'ssl_options.verify = verify_none', // of clients, which sign in with a password
  ];
}
