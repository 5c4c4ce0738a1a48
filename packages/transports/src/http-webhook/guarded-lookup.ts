import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { AddressGuard } from './address-guard.ts';

/** Resolves a host name to all of its addresses. */
export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

/** A name resolved to an address that messages may not go to. */
export class AddressForbiddenError extends Error {
  override readonly name = 'AddressForbiddenError';
  readonly code = 'WAYBILL_ADDRESS_FORBIDDEN';

  constructor(hostname: string, address: string) {
    super(`${hostname} resolves to ${address}, which is not a public address and not in allowedNetworks`);
  }
}

/**
 * A `lookup` for the socket itself, so that the address checked is the address connected to: a name that
 * answers differently the next time (DNS rebinding) gains nothing. One forbidden answer among many is enough to stop.
 */
export function guardedLookup(resolve: ResolveHost, guard: AddressGuard): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const forbidden = addresses.find(({ address }) => !guard.allows(address));
        const [first] = addresses;
        if (forbidden) callback(new AddressForbiddenError(hostname, forbidden.address), []);
        else if (!first) callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), []);
        else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error('no answer', { cause: error }), []),
    );
  };
}
