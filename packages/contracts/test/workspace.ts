import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { runCommandLine } from '../src/cli/program.ts';
import type { JsonSchema } from '../src/validation/plain-schema.ts';

const today = '2025-01-01';
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A folder of its own, with what a command prints in it. */
export class Workspace {
  readonly directory: string;
  #modules = 0;

  /** @param directory one that is there already, and that somebody else removes. */
  constructor(directory?: string) {
    this.directory = directory ?? mkdtempSync(join(tmpdir(), 'waybill-contracts-'));
    if (directory === undefined) folders.push(this.directory);
    this.write('package.json', { name: '@acme/orders', version: '1.0.0' });
  }

  /** The same for a folder inside. */
  at(folder: string): Workspace {
    mkdirSync(join(this.directory, folder), { recursive: true });
    return new Workspace(join(this.directory, folder));
  }

  commit(message: string): void {
    this.git('add', '.');
    this.git('commit', '--allow-empty', '-m', message);
  }

  write(file: string, content: unknown): void {
    const path = join(this.directory, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }

  read(file: string): string {
    return readFileSync(join(this.directory, file), 'utf8');
  }

  /** Publishes a contract package of one command type. Each has a module of its own, since modules load once. */
  contracts(versions: Readonly<Record<number, JsonSchema>>, upcast = '{}'): readonly string[] {
    this.#modules += 1;
    const delivery = {
      guarantee: 'at-least-once',
      boundary: 'b',
      duplicates: 'd',
      retryHorizon: 'h',
      recoveryOwner: 'o',
      recordOwner: 'o',
      status: 'accepted',
    };
    const numbers = Object.keys(versions).map(Number);
    const message = {
      type: 'orders.place',
      kind: 'journey-step-command',
      event: null,
      versions,
      oldest: Math.min(...numbers),
      newest: Math.max(...numbers),
      recordKey: null,
      downcast: {},
      headPolicy: 'continue',
      delivery,
      idempotency: null,
    };
    const file = `contracts-${this.#modules}.mjs`;
    this.write(
      file,
      `export const contracts = { name: '@acme/orders', events: [], messages: [{ ...${JSON.stringify(message)}, upcast: ${upcast} }] };`,
    );
    return ['--contracts', file];
  }

  async run(
    ...args: readonly string[]
  ): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await runCommandLine(
      args,
      { directory: this.directory, print: (line) => out.push(line), tell: (line) => err.push(line) },
      today,
    );
    return { code, out: out.join('\n'), err: err.join('\n') };
  }

  git(...args: readonly string[]): void {
    execFileSync(
      'git',
      ['-c', 'user.name=t', '-c', 'user.email=t@example.org', '-c', 'init.defaultBranch=main', ...args],
      { cwd: this.directory, stdio: 'pipe' },
    );
  }
}

export const order = (properties: Readonly<Record<string, JsonSchema>> = {}): JsonSchema => ({
  type: 'object',
  properties: { id: { type: 'integer' }, ...properties },
  required: ['id'],
});
export const note: JsonSchema = { type: 'string', 'x-absent': { means: 'nobody wrote one' } };
