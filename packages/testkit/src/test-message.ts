import { randomUUID } from 'node:crypto';
import type { Kind } from '@waybill/contracts';

/** A message as transports get it, for tests. */
export interface TestMessage {
  readonly id: string;
  readonly type: string;
  readonly kind: Kind;
  readonly version: number;
  readonly occurredAt: Date;
  readonly tenant: string | null;
  readonly recordKey: string;
  readonly event: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly attempt: number;
  readonly fence: string;
}

/** A message with an id of its own and plain values for whatever is not given. */
export function testMessage(given: Partial<TestMessage> = {}): TestMessage {
  const id = given.id ?? randomUUID();
  return {
    id,
    type: 'test.message-sent',
    kind: 'integration-event',
    version: 1,
    occurredAt: new Date('2026-01-02T03:04:05.678Z'),
    tenant: null,
    recordKey: '',
    event: 'EVT-TEST-MESSAGE-SENT',
    headers: {},
    body: JSON.stringify({ id }),
    attempt: 1,
    fence: '1',
    ...given,
  };
}
