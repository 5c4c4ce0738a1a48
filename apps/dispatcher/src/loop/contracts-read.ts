import type { Readers } from '@waybill/contracts';
import type { Contract } from '@waybill/store';

/** What a build reads, as the store registers it. Every type of it has a route, or the loop would not have started. */
export function contractsRead(readers: Readers): readonly Contract[] {
  return readers.capabilities.flatMap(({ type, version }) => {
    const message = readers.message(type);
    return message === undefined ? [] : [{ type, version, kind: message.kind, headPolicy: message.headPolicy }];
  });
}
