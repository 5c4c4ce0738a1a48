import { ContractError } from '../contract-error.ts';
import { type ContractPackage, collisions, packageProblems } from '../definition/contract-package.ts';
import type { AnyMessage, PayloadOf, VersionedPayload } from '../definition/message.ts';
import { readPayload, unreadable } from './read-payload.ts';
import type { ReadPayload, ReadResult, StoredPayload, Unreadable, WantedVersion } from './read-result.ts';

/** Reads stored payloads of every message type of some contract packages. */
export interface Readers {
  /** What these readers can read: the capabilities that a dispatcher declares. */
  readonly capabilities: readonly { readonly type: string; readonly version: number }[];
  message(type: string): AnyMessage | undefined;
  /** Reads by the record's own version and gives the newest shape unless another is asked for. */
  read(stored: StoredPayload, as?: WantedVersion): ReadResult;
  /** The same for a known message, with its newest payload type. */
  readAs<M extends AnyMessage>(message: M, stored: StoredPayload): ReadResult<PayloadOf<M>>;
  /** The stored shape of a known message, discriminated by `version`, for code that handles every version apart. */
  readStored<M extends AnyMessage>(
    message: M,
    stored: StoredPayload,
  ): (VersionedPayload<M> & Omit<ReadPayload, 'version' | 'payload'>) | Unreadable;
}

/**
 * The readers of some contract packages. Validators are compiled at the first record of their version.
 *
 * @throws ContractError `CTR_PACKAGES_INVALID` listing every problem: a gap in an upcast chain, an Event record that is missing,
 * a type that two packages define (both are named), ...
 */
export function createReaders(packages: readonly ContractPackage[]): Readers {
  const distinct = [...new Set(packages)];
  const problems = [...distinct.flatMap(packageProblems), ...collisions(distinct)];
  if (problems.length > 0)
    throw new ContractError('CTR_PACKAGES_INVALID', 'the contract packages cannot be read together:', problems);
  const messages = new Map(
    distinct.flatMap((contracts) => contracts.messages.map((message) => [message.type, message] as const)),
  );
  const capabilities = [...messages.values()].flatMap((message) =>
    Object.keys(message.versions).map((version) => ({ type: message.type, version: Number(version) })),
  );

  function read(stored: StoredPayload, as: WantedVersion = 'newest'): ReadResult {
    const message = messages.get(stored.type);
    if (message === undefined)
      return unreadable(stored, 'unknown-type', 'no contract package of this build defines the type');
    return readPayload(message, stored, as);
  }
  return {
    capabilities,
    message: (type) => messages.get(type),
    read,
    // Validation and the steps have established the types that the definition states.
    readAs: <M extends AnyMessage>(message: M, stored: StoredPayload) =>
      readKnown(message, stored, 'newest') as ReadResult<PayloadOf<M>>,
    readStored: <M extends AnyMessage>(message: M, stored: StoredPayload) =>
      readKnown(message, stored, 'stored') as
        | (VersionedPayload<M> & Omit<ReadPayload, 'version' | 'payload'>)
        | Unreadable,
  };

  function readKnown(message: AnyMessage, stored: StoredPayload, as: WantedVersion): ReadResult {
    if (stored.type !== message.type) return unreadable(stored, 'unknown-type', `a ${message.type} was expected`);
    return read(stored, as);
  }
}
