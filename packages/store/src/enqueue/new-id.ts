import { v7 } from 'uuid';

/** Ids in the order of time keep the index on ids dense: random ones would touch a page of it, and write that page to the log, per message. */
export function newMessageId(): string {
  return v7();
}
