import { type DeclaredReader, endReader, insertReader, openReaders } from '../statements/reader-declare.ts';
import { raiseRevisions } from '../statements/version-pin.ts';
import type { Store } from '../store.ts';
import { type OperatorOptions, operate } from './audit.ts';
import { checkExpiry } from './expiry.ts';
import type { Operator } from './operator.ts';

/**
 * Declares a reader that does not run all the time (a script, a replayer), or a build that one may have to roll back to. Until it expires nothing is
 * written that it could not read, and gates count it. Gives the declaration's id.
 */
export async function declareReader<Native>(
  store: Store<Native>,
  { build, reads, until }: Pick<DeclaredReader, 'build' | 'reads' | 'until'>,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<string> {
  checkExpiry(until);
  return operate(store, by, options, async ({ tx, record }) => {
    const id = await insertReader(tx, store, { build, reads, until, ...by });
    // A transaction with an older snapshot does not see the declaration: it fails at the rows that it finds changed, and is tried again.
    await raiseRevisions(tx, store, Object.keys(reads));
    await record({
      action: 'declare-reader',
      what: { messages: [], selection: { reader: id, build } },
      before: null,
      after: { reads, until: until.toISOString() },
    });
    return id;
  });
}

/** Ends a declaration before its time. */
export async function withdrawReader<Native>(
  store: Store<Native>,
  id: string,
  by: Operator,
  options: OperatorOptions<Native> = {},
): Promise<'withdrawn' | 'not-found'> {
  return operate(store, by, options, async ({ tx, record }) => {
    const build = await endReader(tx, store, id);
    if (build === null) return 'not-found';
    await record({
      action: 'withdraw-reader',
      what: { messages: [], selection: { reader: id, build } },
      before: null,
      after: {},
    });
    return 'withdrawn';
  });
}

/** The declarations that count now. */
export async function listReaders(store: Store): Promise<readonly DeclaredReader[]> {
  return openReaders(store.database, store);
}
