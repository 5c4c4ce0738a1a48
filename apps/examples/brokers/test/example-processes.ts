/** The programs of the examples as a user runs them: built, and each a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const WAYBILL = join(
  dirname(createRequire(import.meta.url).resolve('@waybill/dispatcher')),
  ...['..', 'dist', 'main.js'],
);

export type Environment = Readonly<Record<string, string>>;

/** A program that is followed through what it says. */
export class ExampleProcess extends EventEmitter implements AsyncDisposable {
  readonly lines: string[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  constructor(program: string, args: readonly string[], environment: Environment) {
    super();
    this.#child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env['PATH'], ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      if (stream) createInterface(stream).on('line', (line) => this.#hear(line));
    this.#ended = once(this.#child, 'close');
  }

  /** Waits for a line, or throws what the program said instead when it has ended. */
  async says(pattern: RegExp): Promise<void> {
    while (!this.lines.some((line) => pattern.test(line))) {
      if (this.hasEnded) throw new Error(`it ended first:\n${this.lines.join('\n')}`);
      await Promise.race([once(this, 'line'), this.#ended]);
    }
  }

  #hear(line: string): void {
    this.lines.push(line);
    this.emit('line');
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a signal and waits for the end. Gives the exit code. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.hasEnded) this.#child.kill(signal);
    await this.#ended;
    return this.#child.exitCode;
  }

  /** Waits for the end of a program that ends on its own. */
  async exitCode(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end('SIGKILL');
  }
}

export function startBilling(broker: string, environment: Environment): ExampleProcess {
  return new ExampleProcess(join(DIST, 'main-billing.js'), [broker], environment);
}

export function startDispatcher(broker: string, environment: Environment): ExampleProcess {
  return new ExampleProcess(WAYBILL, ['run', '--config', join(DIST, broker, 'dispatcher.config.js')], environment);
}

export function startShop(orders: number, environment: Environment): ExampleProcess {
  return new ExampleProcess(join(DIST, 'main-shop.js'), [String(orders)], environment);
}
