import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startWaybill } from './waybill-process.ts';

/** One line of the log. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg?: string };

/** `waybill run` as a process of its own, followed through its log. */
export class RunningDispatcher implements AsyncDisposable {
  readonly lines: LogLine[] = [];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #watchers = new Set<() => void>();
  /** Everything that was written beside the log. */
  stderr = '';

  constructor(config: string, environment: Readonly<Record<string, string>>) {
    this.#child = startWaybill(['run', '--config', config], environment);
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('the child has no pipes');
    createInterface(stdout).on('line', (line) => {
      this.lines.push(JSON.parse(line) as LogLine);
      for (const watch of this.#watchers) watch();
    });
    stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.#ended = once(this.#child, 'close').then(() => {
      for (const watch of this.#watchers) watch();
    });
  }

  /** The first line that fits, as soon as it has been written. */
  async line(fits: (line: LogLine) => boolean): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.lines.find(fits);
        if (found !== undefined) resolve(found);
        else if (this.hasEnded)
          reject(new Error(`the dispatcher ended first: ${this.stderr}${JSON.stringify(this.lines)}`));
        else return;
        this.#watchers.delete(look);
      };
      this.#watchers.add(look);
      look();
    });
  }

  async healthUrl(): Promise<string> {
    const line = await this.line(({ listening }) => typeof listening === 'string');
    return String(line['listening']);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for the end of the process and gives its exit code. */
  async exitCode(): Promise<number | null> {
    await this.#ended;
    return this.#child.exitCode;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.hasEnded) this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
