import type { PoolClient } from 'pg';

/** A handler did with its connection what is not the handler's to do. */
export class LentClientError extends Error {
  override readonly name = 'LentClientError';
  readonly code = 'DSP_CLIENT_NOT_YOURS';
}

/** Ends of a client that belong to whoever took it out of the pool. */
const NOT_LENT: ReadonlySet<string | symbol> = new Set(['release', 'end', 'connect']);

/**
 * Lends a client to a handler. Once it is taken back each use of it throws: a handler that goes on after it has ended would otherwise
 * run its statements inside the transaction of whoever has the connection next.
 */
export function lendClient(client: PoolClient): { readonly tx: PoolClient; readonly takeBack: () => void } {
  const { proxy, revoke } = Proxy.revocable(client, {
    get(target, key) {
      if (NOT_LENT.has(key))
        throw new LentClientError(
          `the attempt's connection is only lent: ${String(key)}() is not the handler's to call`,
        );
      const member: unknown = Reflect.get(target, key, target);
      // Methods of the client work on its own state, not on the proxy's.
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
  return { tx: proxy, takeBack: revoke };
}
