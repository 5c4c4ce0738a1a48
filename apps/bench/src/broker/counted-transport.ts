import type { Transport } from '@waybill/transports';
import type { Sample } from '../load/sample.ts';
import type { Counter } from '../process/tally.ts';

/** Counts what goes over a transport and what its target has acknowledged. */
export function countedTransport(transport: Transport, counter: Counter): Transport {
  return {
    ...transport,
    async publish(batch, context) {
      const samples = batch.map(({ body }) => JSON.parse(body) as Sample); // nothing else is enqueued here
      for (const sample of samples) counter.begin(sample);
      const outcomes = await transport.publish(batch, context);
      for (const [index, sample] of samples.entries()) if (outcomes[index]?.outcome === 'accepted') counter.end(sample);
      return outcomes;
    },
  };
}
