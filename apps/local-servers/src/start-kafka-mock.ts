import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** The mock cluster inside librdkafka, with one broker: an implementation of Kafka's protocol that is not ours. */
export interface KafkaMock {
  readonly port: number;
  stop(): Promise<void>;
}

// A producer to a mock cluster of its own, which lives as long as there may be something to produce: as its input is open.
const ARGUMENTS = ['-P', '-b', 'mock', '-t', 'idle', '-d', 'mock', '-X', 'test.mock.num.brokers=1'];

/** Starts a mock cluster; `program` is the path of `kcat`. It ends with this process at the latest, since its input does. */
export async function startKafkaMock(program: string): Promise<KafkaMock> {
  const child = spawn(program, ARGUMENTS, { stdio: ['pipe', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stderr)) {
    lines.push(line);
    const port = /bootstrap\.servers=127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port === undefined) continue;
    child.stderr.resume(); // nobody reads the rest, and a full pipe would hold it up
    return {
      port: Number(port),
      async stop() {
        child.kill('SIGKILL');
        await exited;
      },
    };
  }
  throw new Error(`${program} started no mock cluster:\n${lines.join('\n')}`);
}
