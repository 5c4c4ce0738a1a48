import type { TypedRecord } from '@waybill/store';

/** One record may be damaged; three different ones, and none in between that could be read, mean that this build cannot read what it claims to read. */
const DISTINCT_RECORDS = 3;

/** Remembers which (type, version) this build turned out not to read, so that it stops asking for them instead of claiming a backlog for nothing. */
export class UnreadablePairs {
  readonly #seen = new Map<number, Set<string>>();

  /** Takes note of a record that could not be read. Gives whether the pair is given up with this one. */
  note({ contractId, id }: TypedRecord): boolean {
    const seen = this.#seen.get(contractId) ?? new Set();
    this.#seen.set(contractId, seen);
    if (seen.size >= DISTINCT_RECORDS) return false;
    return seen.add(id).size === DISTINCT_RECORDS;
  }

  /** A record of the pair was read, so those that were not are damaged themselves. */
  noteRead({ contractId }: TypedRecord): void {
    if (!this.hasGivenUp(contractId)) this.#seen.delete(contractId);
  }

  hasGivenUp(contractId: number): boolean {
    return (this.#seen.get(contractId)?.size ?? 0) >= DISTINCT_RECORDS;
  }

  /** The contracts, by id, that are still worth asking for. */
  readable(contractIds: Iterable<number>): readonly number[] {
    return [...contractIds].filter((id) => !this.hasGivenUp(id));
  }
}
