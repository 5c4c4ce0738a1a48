import { type ContractPackage, createReaders, type Readers } from '@waybill/contracts';
import { connectPg } from '../drivers/pg.ts';
import { migrate } from '../migrate.ts';
import { rampPlace } from '../rollout/ramp.ts';
import { emptyTables, passTime, readAllRecords, type SimulatedRecord } from '../statements/simulation.ts';
import { sweep } from '../statements/sweep.ts';
import { openStore } from '../store.ts';
import { type SimulatedDispatcherPort, type StartOptions, startDispatcher } from './simulated-dispatcher.ts';
import { operatorPort, type SimulatedOperator } from './simulated-operator.ts';
import { type SimulatedServicePort, startService } from './simulated-service.ts';

export interface RolloutTargetOptions {
  /** A PostgreSQL server's database that a test may write to; the role may create a schema. */
  readonly url: string;
  /** The schema that is made for the simulation, emptied before each schedule, and dropped at the end. */
  readonly schema?: string;
}

/** A store under simulation. Its shape is what `simulateRollout` of `@waybill/testkit` asks for. */
export interface SimulationTarget extends AsyncDisposable {
  empty(): Promise<void>;
  pass(ms: number): Promise<void>;
  readersOf(contracts: readonly ContractPackage[]): Readers;
  startDispatcher(options: StartOptions): Promise<SimulatedDispatcherPort>;
  startService(): SimulatedServicePort;
  rampPlace(key: string): number;
  sweep(): Promise<void>;
  records(): Promise<readonly SimulatedRecord[]>;
  readonly operator: SimulatedOperator;
}

const SCHEMA = 'waybill_simulation';
const SWEEP = { most: 100, retryMs: 0 };

/**
 * Makes a store for `simulateRollout`, in a schema of its own: what runs against it are the functions that dispatchers, services and operators call.
 * Only time is made up: `pass` moves what the store remembers into the past.
 */
export async function rolloutTarget({ url, schema = SCHEMA }: RolloutTargetOptions): Promise<SimulationTarget> {
  const database = connectPg({ url, max: 20, applicationName: 'waybill simulation' });
  const store = openStore(database, { schema });
  const dropped = `drop schema if exists ${store.quoted} cascade`;
  // What a run left that was killed may be of another version.
  await database.query(dropped);
  await migrate(store);
  const time = { passedMs: 0 };
  return {
    empty: () => emptyTables(database, store),
    async pass(ms) {
      await passTime(database, store, ms);
      time.passedMs += ms;
    },
    readersOf: createReaders,
    startDispatcher: (options) => startDispatcher(store, options),
    startService: () => startService(store, () => time.passedMs),
    rampPlace,
    sweep: async () => {
      await sweep(database, store, SWEEP);
    },
    records: () => readAllRecords(database, store),
    operator: operatorPort(store),
    async [Symbol.asyncDispose]() {
      await database.query(dropped);
      await database.close();
    },
  };
}
