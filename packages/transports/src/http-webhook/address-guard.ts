import { BlockList, isIP } from 'node:net';

/** Decides which addresses a request may go to. */
export interface AddressGuard {
  /** @param address an IPv4 or IPv6 address in any notation that Node prints. */
  readonly allows: (address: string) => boolean;
}

// The IANA special-purpose registry's ranges that are not for the public internet, and where clouds answer with credentials.
const PRIVATE_IPV4: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8], // this network; 0.0.0.0 reaches loopback
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT; holds Alibaba's metadata address
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure's wire server, a public address that is inside for its virtual machines
  ['169.254.0.0', 16], // link-local; holds most clouds' metadata address
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments; holds Oracle's metadata address
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays, deprecated
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved; holds broadcast
];

const NAT64 = '64:ff9b::';
// Of IPv6 only global unicast is public, so a list of what is allowed is the shorter one: it leaves out loopback, link-local, unique local and mapped IPv4 addresses.
const GLOBAL_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2000::', 3],
  [NAT64, 96], // a public IPv4 address behind NAT64; private ones are taken out below
];
const PRIVATE_IPV6: readonly (readonly [network: string, prefix: number])[] = [
  ['2001::', 23], // protocol assignments; holds Teredo, which embeds IPv4 addresses
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which embeds IPv4 addresses
  ['3fff::', 20], // documentation
];

/** Lets public addresses through, and the networks named here. */
export function guardAddresses(allowedNetworks: readonly Network[]): AddressGuard {
  const publicIpv6 = new BlockList();
  for (const [network, prefix] of GLOBAL_IPV6) publicIpv6.addSubnet(network, prefix, 'ipv6');
  const privateRanges = new BlockList();
  for (const [network, prefix] of PRIVATE_IPV6) privateRanges.addSubnet(network, prefix, 'ipv6');
  for (const [network, prefix] of PRIVATE_IPV4) {
    privateRanges.addSubnet(network, prefix, 'ipv4');
    privateRanges.addSubnet(`${NAT64}${network}`, 96 + prefix, 'ipv6');
  }
  const allowed = new BlockList();
  for (const { address, prefix } of allowedNetworks) allowed.addSubnet(address, prefix, familyOf(address));

  return {
    allows(address) {
      const bare = address.split('%', 1)[0] ?? ''; // a link-local address may name its interface
      if (isIP(bare) === 0) return false;
      const family = familyOf(bare);
      if (allowed.check(bare, family)) return true;
      return !privateRanges.check(bare, family) && (family === 'ipv4' || publicIpv6.check(bare, family));
    },
  };
}

/** A range of addresses, as in `10.20.0.0/16`. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
}

/** Reads `address/prefix`, or a single address; null when it is neither. */
export function parseNetwork(text: unknown): Network | null {
  if (typeof text !== 'string') return null;
  const [address = '', prefixText, ...rest] = text.split('/');
  const bits = isIP(address) === 6 ? 128 : 32;
  const prefix = prefixText === undefined ? bits : Number(prefixText);
  const holds =
    isIP(address) !== 0 &&
    rest.length === 0 &&
    prefixText !== '' &&
    Number.isInteger(prefix) &&
    prefix >= 0 &&
    prefix <= bits;
  return holds ? { address, prefix } : null;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
