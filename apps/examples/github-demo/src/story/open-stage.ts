import { randomBytes } from 'node:crypto';
import { allowWrites, migrate, openStore, type Store } from '@waybill/store';
import { pgDatabase } from '@waybill/store/pg';
import { githubContracts } from '@waybill-examples/github-contracts';
import pg from 'pg';
import { BUSINESS_TABLES } from '../database/business-tables.ts';
import { createFleet } from '../fleet/fleet.ts';
import type { Random } from '../input/random.ts';
import { installObserver } from '../observation/waybill-tables.ts';
import { openReceiver, type Receiver } from '../receiver/receiver.ts';
import type { Progress } from '../report/progress.ts';
import { openCodeHost } from '../services/code-host.ts';
import { openTracker } from '../services/tracker.ts';
import type { Cleanup } from './cleanup.ts';
import type { Stage } from './stage.ts';
import type { StoryError } from './story-error.ts';
import { createTally } from './tally.ts';

export interface StageOptions {
  /** An empty database of the story's own. */
  readonly databaseUrl: string;
  /** For the choices of the story and for the moods of the receiver. */
  readonly random: Random;
  readonly progress: Progress;
  readonly cleanup: Cleanup;
  /** The environment of the dispatcher processes. */
  readonly environment: NodeJS.ProcessEnv;
  readonly onFailure: (error: StoryError) => void;
  /** Where the dispatchers' logs go, a file each. */
  readonly logDirectory: string;
  readonly signal: AbortSignal;
  /** How long the operator of the story lets version 2 be written although a running build cannot read it. */
  readonly allowedUntil: Date;
}

/** A stage that is set, with what the ledger needs afterwards. */
export interface SetStage extends Stage {
  readonly pool: pg.Pool;
  readonly receiver: Receiver;
}

/** One request in fifty fails at the receiver. */
const HICCUP_SHARE = 0.02;

/** Connections of a service, one for each webhook that it handles at once. */
const SERVICE_CONNECTIONS = 6;

/** Makes the tables, opens the services and the receiver, and registers how to undo it all. No dispatcher runs yet. */
export async function openStage(options: StageOptions): Promise<SetStage> {
  const { databaseUrl, random, progress, cleanup, signal } = options;
  const pool = openPool(databaseUrl, cleanup);
  const store = openStore(pgDatabase(pool));
  await migrate(store);
  await allowUnreadableWrites(store, options.allowedUntil);
  await pool.query(BUSINESS_TABLES);
  const observer = await installObserver(pool);

  const tracker = openTracker(databaseUrl, SERVICE_CONNECTIONS);
  cleanup.defer('close the tracker', () => tracker.close());
  const codeHost = openCodeHost(databaseUrl, SERVICE_CONNECTIONS);
  cleanup.defer('close the code host', () => codeHost.close());

  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const receiver = await openReceiver({ secret, random, hiccupShare: HICCUP_SHARE });
  cleanup.defer('close the receiver', () => receiver.close());

  const fleet = createFleet({
    databaseUrl,
    receiver: { url: receiver.url, secret },
    logDirectory: options.logDirectory,
    environment: options.environment,
    observer,
    onFailure: options.onFailure,
    signal,
  });
  cleanup.defer('stop the dispatchers', () => fleet.stop());

  return {
    services: { tracker, codeHost },
    fleet,
    observer,
    tally: createTally(),
    progress,
    random,
    signal,
    pool,
    receiver,
  };
}

/** The word of an operator, in the story: version 2 may be written while a build runs that reads version 1 only. */
async function allowUnreadableWrites(store: Store<pg.PoolClient>, until: Date): Promise<void> {
  for (const { type, newest } of githubContracts.messages) {
    await allowWrites(
      store,
      { type, version: newest, until },
      { actor: 'the demo', reason: 'to show that what nobody can read waits, and is not lost' },
    );
  }
}

function openPool(databaseUrl: string, cleanup: Cleanup): pg.Pool {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, application_name: 'github-demo' });
  cleanup.defer('close the connections', () => pool.end());
  return pool;
}
