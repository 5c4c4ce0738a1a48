import type { AnyMessage } from '@waybill/contracts';
import { type KnownBuild, nameOf } from './build.ts';
import { hold } from './fault.ts';
import type { WrittenMessage as Written } from './model/ledger.ts';
import type { Registry } from './model/registry.ts';
import type { WrittenMessage } from './step.ts';
import type { EnqueueResult, Isolation, ServicePort, TransactionPort } from './target.ts';
import { nth, type World } from './world.ts';

const DELAY_MS = 100_000;

/** A service: it enqueues the newest versions of the contracts that it was built with, or what it is told instead. */
export class SimulatedService {
  readonly build: KnownBuild;
  /** When it last wrote: what it has heard of the registry ages with its writes. */
  wroteAt = -1;
  readonly #world: World;
  readonly #port: ServicePort;

  constructor(world: World, build: KnownBuild) {
    this.#world = world;
    this.build = build;
    this.#port = world.target.startService();
  }

  async begin(isolation: Isolation): Promise<OpenTransaction> {
    const port = await this.#port.begin(isolation);
    return new OpenTransaction({ world: this.#world, service: this, isolation, port });
  }

  /** Messages in a transaction of their own. */
  async enqueue(messages: readonly WrittenMessage[]): Promise<void> {
    const transaction = await this.begin('read committed');
    // Among those that are open, so that one that a fault leaves behind is ended.
    this.#world.transactions.push(transaction);
    for (const message of messages) await transaction.write(message);
    await transaction.end('commit');
  }
}

/** A transaction of a service that has begun. Nothing of it counts before its commit. */
export class OpenTransaction {
  /** The keys that it has written, whose other writers wait for its end. */
  readonly keys: Set<string> = new Set();
  readonly written: (Written & { readonly delayed: boolean })[] = [];
  /** The types that it has tried to write: decisions about them wait for its end. */
  readonly types: Set<string> = new Set();
  readonly isolation: Isolation;
  readonly #world: World;
  readonly #service: SimulatedService;
  readonly #port: TransactionPort;
  /** What it sees of the registry; null: all of it, at every statement. */
  readonly #snapshot: Registry | null;

  constructor(parts: {
    readonly world: World;
    readonly service: SimulatedService;
    readonly isolation: Isolation;
    readonly port: TransactionPort;
  }) {
    this.#world = parts.world;
    this.#service = parts.service;
    this.isolation = parts.isolation;
    this.#port = parts.port;
    this.#snapshot = parts.isolation === 'read committed' ? null : parts.world.registry.snapshot();
  }

  async write({ message: number, key, whenUnreadable, delayed }: WrittenMessage): Promise<void> {
    const world = this.#world;
    const message = nth(this.#service.build.messages, number);
    if (message === undefined) return;
    this.types.add(message.type);
    const id = world.random.uuid();
    const payload = world.payload(message, world.random.integer(2 ** 31));
    const delayMs = delayed ? DELAY_MS : 0;
    const result = await this.#port.enqueue({ id, message, payload, recordKey: key, whenUnreadable, delayMs });
    world.count(result.status);
    this.#judge(result, { message, id, key, whenUnreadable });
    if (result.status === 'stale') return this.end('abort');
    if (result.status === 'refused') return;
    const { type } = message;
    const holds = message.headPolicy === 'hold';
    this.written.push({ id, type, version: result.version, key, holds, dueAt: 0, delayed });
    if (key !== '') this.keys.add(key);
  }

  async end(how: 'commit' | 'abort'): Promise<void> {
    const { transactions, ledger, registry } = this.#world;
    const place = transactions.indexOf(this);
    if (place >= 0) transactions.splice(place, 1);
    if (how === 'abort') return this.#port.rollback();
    const outcome = await this.#port.commit();
    this.#world.count(outcome);
    if (outcome === 'rolled-back') {
      hold(this.isolation === 'serializable', 'lost', () => 'a commit was answered with a rollback');
      return;
    }
    for (const written of this.written) {
      registry.know(written);
      // Time passes for what is committed: the delay begins here.
      ledger.commit({ ...written, dueAt: written.delayed ? registry.now + DELAY_MS : 0 });
    }
  }

  /** Was the right version written, or rightly none? */
  #judge(
    result: EnqueueResult,
    of: {
      readonly message: AnyMessage;
      readonly id: string;
      readonly key: string;
      readonly whenUnreadable: WrittenMessage['whenUnreadable'];
    },
  ): void {
    const { registry, registryChangedAt, now, target, tally } = this.#world;
    if (result.status === 'stale') {
      hold(
        this.#snapshot !== null,
        'error',
        () => 'a transaction in READ COMMITTED was told that it has seen too little',
      );
      return;
    }
    const place = target.rampPlace(of.key === '' ? of.id : of.key);
    const name = (version: number) => ({ type: of.message.type, version });
    const isAllowed = (version: number): boolean =>
      (this.#snapshot ?? registry).allows(name(version), place, of.whenUnreadable === 'write-anyway');
    const candidates = of.whenUnreadable === 'downcast' ? writableVersions(of.message) : [of.message.newest];
    const expected = candidates.find(isAllowed);
    const what = `${nameOf(name(of.message.newest))} for ${of.key === '' ? 'no key' : of.key} (${of.whenUnreadable})`;
    const who = (version: number): string => registry.blockers(name(version)).join(', ');
    if (result.status === 'refused') {
      hold(
        expected === undefined,
        'refused',
        () => `${what} was refused: ${result.why}; version ${String(expected)} could be written`,
      );
      return;
    }
    const { version } = result;
    if (version !== of.message.newest) tally.set('downcast', (tally.get('downcast') ?? 0) + 1);
    hold(
      candidates.includes(version) && isAllowed(version),
      'written',
      () => `${what} was written as version ${String(version)}, which may not be: ${who(version)}`,
    );
    // A service may go for some seconds by what it has heard, and for its first write after a silence.
    const isNews = registryChangedAt === now || this.#service.wroteAt < now;
    this.#service.wroteAt = now;
    hold(
      version === expected || isNews,
      'written',
      () => `${what} was written as version ${String(version)}, and version ${String(expected)} could be`,
    );
    hold(
      !registry.retired.has(nameOf(name(version))),
      'written',
      () => `${nameOf(name(version))} was written, which is retired`,
    );
  }
}

/** The newest version, and those that its downcasts lead to. */
function writableVersions({ newest, downcast }: AnyMessage): readonly number[] {
  const versions = [newest];
  for (let version: number = newest; downcast[version] !== undefined; version -= 1) versions.push(version - 1);
  return versions;
}
