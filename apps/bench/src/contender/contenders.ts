import type { Contender } from './contender.ts';

export const CONTENDER_NAMES = [
  'waybill',
  'graphile-worker',
  'pg-boss',
  'pg-transactional-outbox',
  'naive',
  'limit',
] as const;
export type ContenderName = (typeof CONTENDER_NAMES)[number];

export interface Profile {
  /** How it is configured here. */
  readonly configuration: string;
  /** What it gives up beside Waybill, so that a figure is read together with what it buys. */
  readonly givesUp: string;
}

export const PROFILES: Readonly<Record<ContenderName, Profile>> = {
  waybill: {
    configuration: 'the program `waybill run` with its defaults (16 workers, runs of 50)',
    givesUp: 'nothing: order per key, fenced leases, history, versions',
  },
  'graphile-worker': {
    configuration: '16 jobs at once, local queue of 500, batched completion (its documentation on performance)',
    givesUp:
      'no history (a finished job is deleted); no fence; named queues give one job at a time, not the order of commits',
  },
  'pg-boss': {
    configuration: 'batches of 500, fetched again at once while full; with keys the policy key_strict_fifo',
    givesUp: 'a batch succeeds or fails as one; no fence on the handler; order by creation time, not by commit',
  },
  'pg-transactional-outbox': {
    configuration: 'polling listener, batches of 50 every 10 ms, 16 connections',
    givesUp: 'one transaction for each message while its handler runs; history in the same table',
  },
  naive: {
    configuration: 'one table with a state column, batches of 500 under SKIP LOCKED, two updates',
    givesUp: 'no order, no fence, no retry, no dead letters; the table grows',
  },
  limit: {
    configuration: 'one delete and one insert a message, batches of 500, the handlers inside the transaction',
    givesUp:
      'everything but at-least-once delivery and history: one failure repeats the batch, a slow handler holds its transaction open',
  },
};

/** Loads one contender; the others and what they depend on stay out of the process. */
export async function loadContender(name: ContenderName): Promise<Contender> {
  switch (name) {
    case 'waybill':
      return (await import('./waybill.ts')).waybill;
    case 'graphile-worker':
      return (await import('./graphile-worker.ts')).graphileWorker;
    case 'pg-boss':
      return (await import('./pg-boss.ts')).pgBoss;
    case 'pg-transactional-outbox':
      return (await import('./pg-transactional-outbox.ts')).pgTransactionalOutbox;
    case 'naive':
      return (await import('./naive.ts')).naive;
    case 'limit':
      return (await import('./limit.ts')).limit;
  }
}
