import type { DeadLetterReason } from '@waybill/contracts';
import { nameOf } from '../build.ts';
import { hold } from '../fault.ts';
import type { ClaimedRun, RunSettlement, VersionName } from '../target.ts';

/** Who may act on a record, as far as one has been told. */
export interface Lease {
  readonly dispatcher: string;
  /** Position of the record that carries it. */
  readonly head: string;
  readonly fence: string;
  until: number;
}

export interface WrittenMessage extends VersionName {
  readonly id: string;
  readonly key: string;
  /** Under `hold` a dead message keeps its key. */
  readonly holds: boolean;
  readonly dueAt: number;
}

/** A committed message and what has become of it. */
export interface Message extends WrittenMessage {
  state: 'live' | 'dispatched' | 'dead' | 'discarded';
  reason: DeadLetterReason | null;
  attempt: number;
  dueAt: number;
  lease: Lease | null;
  position: string | null;
  /** As first seen. */
  payload: string | null;
}

/** What has been committed, and what may become of it: the outbox as its documentation tells it, in memory. */
export class Ledger {
  readonly messages: Map<string, Message> = new Map();
  /** By key, in order: those that live, and the dead ones that hold their key. */
  readonly #lines = new Map<string, Message[]>();

  commit(written: WrittenMessage): void {
    const message: Message = {
      ...written,
      state: 'live',
      reason: null,
      attempt: 0,
      lease: null,
      position: null,
      payload: null,
    };
    this.messages.set(message.id, message);
    this.line(message).push(message);
  }

  all(): readonly Message[] {
    return [...this.messages.values()];
  }

  live(): readonly Message[] {
    return this.all().filter(({ state }) => state === 'live');
  }

  dead(): readonly Message[] {
    return this.all().filter(({ state }) => state === 'dead');
  }

  /** What has not ended for good: it is delivered, or may be after a replay. */
  carried(): readonly Message[] {
    return [...this.live(), ...this.dead()];
  }

  /** The key's messages in order; a message without a key is alone. */
  line({ id, key }: Pick<Message, 'id' | 'key'>): Message[] {
    const name = key === '' ? `alone ${id}` : `key ${key}`;
    const line = this.#lines.get(name) ?? [];
    this.#lines.set(name, line);
    return line;
  }

  /** May be handed out now, to whoever can read it. */
  isFree(message: Message, now: number): boolean {
    const first = this.line(message)[0] === message;
    return message.state === 'live' && first && message.dueAt <= now && !isLeased(message, now);
  }

  claim(run: ClaimedRun, lease: Lease, now: number): readonly Message[] {
    const messages = run.records.map((record) => {
      const message = this.messages.get(record.id);
      hold(message !== undefined, 'ghost', () => `${record.id} was handed out, and nobody has committed it`);
      const what = describe(message);
      hold(message.state === 'live', 'lease', () => `${what} was handed out, which is ${message.state}`);
      hold(
        !isLeased(message, now),
        'lease',
        () => `${what} was handed out while ${String(message.lease?.dispatcher)} has its lease`,
      );
      hold(message.dueAt <= now, 'state', () => `${what} was handed out before it was due`);
      hold(nameOf(record) === nameOf(message), 'changed', () => `${what} was handed out as ${nameOf(record)}`);
      hold(
        message.payload === null || message.payload === record.payload,
        'changed',
        () => `${what} was handed out with another payload`,
      );
      hold(
        record.attempt === message.attempt,
        'attempt',
        () => `${what} was handed out with ${String(record.attempt)} attempts, and had ${String(message.attempt)}`,
      );
      return message;
    });
    const [head] = messages;
    hold(head !== undefined, 'lease', () => 'a run without a record was handed out');
    const line = this.line(head);
    messages.forEach((message, nth) => {
      const expected = line[nth];
      hold(
        expected === message,
        'order',
        () => `${describe(message)} was handed out before ${expected === undefined ? 'its turn' : describe(expected)}`,
      );
    });
    for (const [nth, message] of messages.entries()) {
      message.lease = lease;
      message.position = run.records[nth]?.position ?? null;
    }
    return messages;
  }

  /** What the store said to a settlement, held against who has the lease. */
  settle(
    settlement: RunSettlement,
    answer: 'settled' | 'lease-lost',
    { lease, messages }: { readonly lease: Lease; readonly messages: readonly Message[] },
    now: number,
  ): void {
    const mine = messages.filter((message) => message.lease === lease);
    if (answer === 'lease-lost') {
      hold(mine.length === 0 || lease.until <= now, 'lease', () => `${lease.dispatcher} lost a lease that was its own`);
      for (const message of mine) message.lease = null;
      return;
    }
    hold(mine.length === messages.length, 'lease', () => `${lease.dispatcher} settled a lease that somebody else has`);
    for (const message of mine) message.lease = null;
    const ended = mine.slice(0, settlement.delivered.length);
    for (const message of ended) this.#end(message, 'dispatched');
    const next = mine[ended.length];
    if (next !== undefined) this.#endRun(next, settlement, now);
  }

  replay(message: Message): void {
    message.state = 'live';
    message.reason = null;
    message.attempt = 0;
    message.dueAt = 0;
    message.lease = null;
    const line = this.line(message);
    if (!line.includes(message)) line.push(message);
  }

  discard(message: Message): void {
    message.state = 'discarded';
    this.#leave(message);
  }

  #endRun(message: Message, { next }: RunSettlement, now: number): void {
    switch (next.then) {
      case 'release':
        message.dueAt = now + next.delayMs;
        return;
      case 'retry':
        message.attempt += 1;
        message.dueAt = now + next.delayMs;
        return;
      case 'dead-letter':
        message.reason = next.reason;
        this.#end(message, 'dead');
    }
  }

  #end(message: Message, state: 'dispatched' | 'dead'): void {
    message.state = state;
    message.attempt += 1;
    if (state === 'dispatched' || !message.holds || message.key === '') this.#leave(message);
  }

  #leave(message: Message): void {
    const line = this.line(message);
    const place = line.indexOf(message);
    if (place >= 0) line.splice(place, 1);
  }
}

export function isLeased({ lease }: Message, now: number): boolean {
  return lease !== null && lease.until > now;
}

export function describe(message: Pick<Message, 'id' | 'type' | 'version' | 'key'>): string {
  return `${nameOf(message)} ${message.id}${message.key === '' ? '' : ` of ${message.key}`}`;
}
