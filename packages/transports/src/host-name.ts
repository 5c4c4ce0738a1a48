import { isIP } from 'node:net';

/** Whether a host is given by a name rather than by an address, IPv6 in brackets too: TLS has certificates, and names in its handshake, for names. */
export function isHostName(host: string): boolean {
  return isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0;
}
