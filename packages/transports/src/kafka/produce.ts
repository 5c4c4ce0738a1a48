import { MultipleErrors, type ProduceResult, ResponseError } from '@platformatic/kafka';
import type { UnitResult } from '../gathering-sender.ts';
import { outcomesOf, type PartitionAnswer } from './produce-outcomes.ts';
import type { PlacedRecord } from './record.ts';
import type { KafkaSession } from './session.ts';

/**
 * Produces records, one request to each leader. Never two at once over one producer: this line of the client gives both the same
 * sequence numbers, and the broker would drop one of them as a repeat.
 */
export async function produce(session: KafkaSession, records: readonly PlacedRecord[]): Promise<UnitResult> {
  const partitions = records.map(({ partition }) => partition);
  try {
    const produced = await session.producer.send({ messages: [...records] });
    return outcomesOf(partitions, { answers: appended(produced), error: null });
  } catch (error) {
    session.giveUp();
    return outcomesOf(partitions, { answers: answersIn(error), error });
  }
}

function appended({ offsets = [] }: ProduceResult): Map<number, PartitionAnswer> {
  return new Map(offsets.map(({ partition, offset }) => [partition, { errorCode: 0, baseOffset: offset }]));
}

/** The part of a produce response that is read. */
interface ProduceResponse {
  readonly responses: readonly {
    readonly partitionResponses: readonly (PartitionAnswer & { readonly index: number })[];
  }[];
}

/** What brokers said, where one of them at least said something else than that all is well. */
function answersIn(error: unknown): ReadonlyMap<number, PartitionAnswer> {
  if (!(error instanceof MultipleErrors)) return new Map();
  const produced: unknown = error['produced'];
  const answers = appended(produced ?? {}); // set by the client next to the errors
  for (const failure of error.errors) {
    if (!(failure instanceof ResponseError)) continue;
    const { responses } = failure['response'] as ProduceResponse; // of a produce request, as nothing else was asked
    for (const { partitionResponses } of responses)
      for (const { index, errorCode, baseOffset } of partitionResponses) answers.set(index, { errorCode, baseOffset });
  }
  return answers;
}
