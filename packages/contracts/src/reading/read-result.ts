import type { ReadStatus } from '../vocabulary.ts';

/** A record as stored, as far as reading it goes. */
export interface StoredPayload {
  readonly type: string;
  readonly version: number;
  /** The JSON text exactly as it was written. */
  readonly payload: string;
}

/** In which shape code wants a payload: as it was stored, in the newest one, or in a named version. */
export type WantedVersion = 'stored' | 'newest' | number;

/** A payload that was read. `applied` names the steps that were taken, as `2<-1` for the upcast from 1 to 2. */
export interface ReadPayload<P = unknown> {
  readonly status: 'ok';
  readonly type: string;
  readonly writtenVersion: number;
  readonly version: number;
  readonly payload: P;
  readonly applied: readonly string[];
}

/** Why a record could not be read. `reason` is bounded and holds names from the schema only, no payload values. */
export interface Unreadable {
  readonly status: Exclude<ReadStatus, 'ok'>;
  readonly type: string;
  readonly version: number;
  readonly reason: string;
}

export type ReadResult<P = unknown> = ReadPayload<P> | Unreadable;
