import type { TransportOutcome } from '@waybill/contracts';
import { TRY_ALONE, type UnitResult } from '../gathering-sender.ts';
import { classifyProtocolError, classifyUnanswered, isAboutOneRecord } from './classify-failure.ts';

/** What a broker said of one partition. */
export interface PartitionAnswer {
  readonly errorCode: number;
  /** Of the first record that was appended. */
  readonly baseOffset: bigint;
}

/** What is known after a produce. */
export interface Produced {
  readonly answers: ReadonlyMap<number, PartitionAnswer>;
  /** Why partitions have no answer. */
  readonly error: unknown;
}

/** What became of records, given by their partitions: a partition takes all of its records or none. */
export function outcomesOf(partitions: readonly number[], { answers, error }: Produced): UnitResult {
  const records = new Map<number, number>();
  const nth = partitions.map((partition) => {
    const before = records.get(partition) ?? 0;
    records.set(partition, before + 1);
    return before;
  });
  return partitions.map((partition, index) => {
    const answer = answers.get(partition);
    if (!answer) return classifyUnanswered(error);
    const { errorCode, baseOffset } = answer;
    if (errorCode === 0) return acceptedAt(partition, baseOffset + BigInt(nth[index] ?? 0));
    return isAboutOneRecord(errorCode) && records.get(partition) !== 1 ? TRY_ALONE : classifyProtocolError(errorCode);
  });
}

function acceptedAt(partition: number, offset: bigint): TransportOutcome {
  return { outcome: 'accepted', receipt: `${partition}:${offset}`, duplicate: false };
}
