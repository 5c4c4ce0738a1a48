import type { Readers } from '@waybill/contracts';
import {
  type Claimer,
  type Contract,
  type ContractIds,
  checkSchema,
  type DispatcherEntry,
  type Drainer,
  type DrainMode,
  type Executor,
  GENERATION,
  type KeptPolicy,
  keepPolicy,
  type PolicyValues,
  registerContracts,
  registerDispatcher,
  requireSoundPositions,
  type SchemaStatus,
  type Store,
  schemaGeneration,
  stampAnew,
} from '@waybill/store';
import type { Clock } from './clock.ts';
import { openDrainer } from './open-drainer.ts';
import type { LoopSettings } from './settings.ts';
import { Settler, type SettlerDeps } from './settler.ts';
import type { StoreHealth } from './store-health.ts';

/**
 * One life under one owner id. It ends with the first connection that is lost: a claim that was under way may or may not have happened, and a
 * server that crashed may have forgotten one, so claims go on under a new id. What is in hand is finished, renewed and settled under the old one.
 */
export class Session {
  readonly owner: string;
  readonly contracts: ContractIds;
  readonly claimer: Claimer;
  /** Settles over a given connection; what need not be in a transaction goes through the settler. */
  readonly settle: Drainer['settle'];
  readonly renew: Drainer['renew'];
  readonly giveBack: Drainer['giveBack'];
  /** Keeps the order of keys in memory, so that it has to drain alone. */
  readonly isKeyless: boolean;
  readonly settler: Settler;
  /** The configured retry policy, as the store knows it. */
  readonly policy: KeptPolicy;
  readonly #onLost: (session: Session) => void;
  /** How this session hands out records, once the store has let it; null before. */
  drainMode: DrainMode | null = null;
  /** What the store was told last. */
  wantsHints = false;
  #lost = false;
  #outdated = false;
  #silent: ReadonlySet<string> = new Set();

  constructor(
    parts: {
      readonly owner: string;
      readonly contracts: ContractIds;
      readonly isKeyless: boolean;
      readonly settler: Settler;
      readonly policy: KeptPolicy;
      readonly onLost: (session: Session) => void;
    } & Drainer,
  ) {
    this.owner = parts.owner;
    this.contracts = parts.contracts;
    this.claimer = parts.claimer;
    this.settle = parts.settle;
    this.renew = parts.renew;
    this.giveBack = parts.giveBack;
    this.isKeyless = parts.isKeyless;
    this.settler = parts.settler;
    this.policy = parts.policy;
    this.#onLost = parts.onLost;
  }

  /** The store's ids of what this session reads of some types. */
  contractsOf(types: readonly string[]): readonly number[] {
    return [...this.contracts]
      .filter(([name]) => types.includes(name.slice(0, name.lastIndexOf('@'))))
      .map(([, id]) => id);
  }

  get isLost(): boolean {
    return this.#lost;
  }

  /** The tables are not what they were when it was opened: it ends in good order, and another one follows. */
  get isOutdated(): boolean {
    return this.#outdated;
  }

  outdate(): void {
    this.#outdated = true;
  }

  /** Takes note of the dispatchers that have gone silent. Gives whether one of them is new: it may have left leases behind. */
  noteSilent(silent: readonly string[]): boolean {
    const news = silent.some((id) => !this.#silent.has(id));
    this.#silent = new Set(silent);
    return news;
  }

  /** Nothing is claimed under this id any more. */
  lose(): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#onLost(this);
  }
}

export interface SessionDeps {
  readonly store: Store;
  /** The heartbeat's connection. */
  readonly heartbeat: Executor;
  readonly build: string;
  readonly readers: Readers;
  /** What this build reads and has a route for. */
  readonly contracts: readonly Contract[];
  /** Those of the contracts, by id, that this process has not given up. */
  readonly readable: (contractIds: readonly number[]) => readonly number[];
  /** What else the registry is told of this build. */
  readonly about: Pick<DispatcherEntry, 'routing' | 'handsOver' | 'writers'>;
  readonly lease: LoopSettings['lease'];
  readonly retry: PolicyValues;
  readonly newOwnerId: () => string;
  readonly settler: Omit<SettlerDeps, 'write'>;
  /** Called once, when the session can claim no more. */
  readonly onLost: (session: Session) => void;
  readonly health: StoreHealth;
  readonly clock: Clock;
}

/** The registry puts up with a silence of so many of the announced heartbeats, and with no rarer ones. */
const MAX_HEARTBEAT_MS = 300_000;

/** The tables are not those that this build works with: not migrated yet, or migrated beyond it. */
export class SchemaNotReadyError extends Error {
  override readonly name = 'SchemaNotReadyError';
  readonly code = 'DSP_SCHEMA_NOT_READY';
}

/**
 * Checks the store, and enters this process and its contracts. Tables without record keys are worked with too, by keeping order in memory.
 * @throws SchemaNotReadyError, and whatever the store throws.
 */
export async function openSession(deps: SessionDeps): Promise<Session> {
  const { store, lease } = deps;
  const hasKeys = await requireUsableSchema(deps);
  const contracts = await registerContracts(
    store,
    hasKeys ? deps.contracts : deps.contracts.map(withoutHeadPolicy),
    deps.build,
  );
  const owner = deps.newOwnerId();
  const contractIds = [...contracts.values()];
  const readable = deps.readable(contractIds);
  const policy = await keepPolicy(store, deps.retry);
  if (hasKeys) await stampAnew(store.database, store, contractIds);
  const drainer = await openDrainer(deps, {
    owner,
    contracts,
    drainsAlone: () => session.drainMode === 'batch',
    onOutdated: () => session.outdate(),
  });
  const entry = {
    ...deps.about,
    id: owner,
    build: deps.build,
    contractIds: readable,
    unreadableIds: contractIds.filter((id) => !readable.includes(id)),
    heartbeatMs: Math.min(lease.renewEveryMs, MAX_HEARTBEAT_MS),
    leaseMs: lease.leaseMs,
  };
  // Over the heartbeat's connection: a process that could not renew must not claim.
  await registerDispatcher(store, entry, deps.heartbeat);
  const settler = new Settler({
    ...deps.settler,
    write: (settlements) => deps.health.measure('settle', () => drainer.settle(store.database, settlements)),
    onOutage: (operation, cause) => {
      deps.settler.onOutage(operation, cause);
      session.lose();
    },
  });
  const session = new Session({ owner, contracts, ...drainer, settler, policy, onLost: deps.onLost });
  return session;
}

/** Gives whether the tables have record keys. */
async function requireUsableSchema({ store, health }: SessionDeps): Promise<boolean> {
  const schema = await checkSchema(store);
  // Read from the tables themselves: a migration that is under way, or was noted by mistake, changes nothing about them.
  const hasKeys = schema.status === 'absent' || (await schemaGeneration(store)) === GENERATION;
  if (schema.status === 'behind' && !hasKeys) {
    health.sawSchema('ready');
    return false;
  }
  health.sawSchema(schema.status);
  if (schema.status !== 'ready')
    throw new SchemaNotReadyError(`the schema ${store.schema} is ${schema.status}: ${SCHEMA_ADVICE[schema.status]}`);
  await requireSoundPositions(store);
  return true;
}

function withoutHeadPolicy({ type, version, kind }: Contract): Contract {
  return { type, version, kind };
}

const SCHEMA_ADVICE: Readonly<Record<Exclude<SchemaStatus['status'], 'ready'>, string>> = {
  absent: 'waiting for the migration',
  behind: 'waiting for the migration to this version',
  ahead: 'a newer version has made a change that this build cannot work with; deploy a newer build',
};
