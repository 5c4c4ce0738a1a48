import { v7 } from 'uuid';

/**
 * Ids in the order of time keep the index on ids dense: random ones would touch a page of it, and write that page to the log, per message. They grow
 * within a millisecond too, so that whoever lists messages by id sees those of one process in the order of their calls.
 */
export function newMessageId(): string {
  return v7();
}
