import { isIP } from 'node:net';
import type { OptionCheck } from '../option-check.ts';
import { type AddressGuard, guardAddresses, type Network, parseNetwork } from './address-guard.ts';
import type { HttpWebhookOptions } from './options.ts';

// Where web servers listen. A URL with another port is a database or a mail server more often than a receiver.
const WEB_PORTS: readonly number[] = [80, 443, 8080, 8443];

/** The guard that the options ask for. */
export function parseGuard(options: HttpWebhookOptions, check: OptionCheck): AddressGuard {
  const networks: Network[] = [];
  for (const text of options.allowedNetworks ?? []) {
    const network = parseNetwork(text);
    if (network) networks.push(network);
    else check.expect(false, 'allowedNetworks', 'networks such as 10.20.0.0/16', text);
  }
  return options.allowPrivateNetwork === true ? { allows: () => true } : guardAddresses(networks);
}

/** The receiver's URL. Problems are noted without its path and query, which may hold a token. */
export function parseUrl(options: HttpWebhookOptions, guard: AddressGuard, check: OptionCheck): URL {
  if (!URL.canParse(options.url)) {
    check.expect(false, 'url', 'an absolute URL', typeof options.url);
    return new URL('https://invalid');
  }
  const url = new URL(options.url);
  const anonymous = url.username === '' && url.password === '';
  check.expect(anonymous, 'url', 'no user and password (use headers)', 'both or one of them');
  checkProtocol(url, options, check);
  checkPort(url, options, check);
  // URL has turned every notation of an IPv4 address (decimal, octal, hexadecimal, shortened) into the dotted one.
  // Names are checked when they are resolved.
  const host = hostnameOf(url);
  const permitted = isIP(host) === 0 || guard.allows(host);
  check.expect(permitted, 'url', 'a public address, or one in allowedNetworks', host);
  return url;
}

/** The host as sockets want it: an IPv6 address without its brackets. */
export function hostnameOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

function checkProtocol({ protocol }: URL, options: HttpWebhookOptions, check: OptionCheck): void {
  const allowHttp = options.allowHttp ?? options.allowPrivateNetwork ?? false;
  const protocols = allowHttp ? ['https:', 'http:'] : ['https:'];
  check.expect(protocols.includes(protocol), 'url', `${protocols.join(' or ')} (allowHttp is ${allowHttp})`, protocol);
}

function checkPort(url: URL, { allowedPorts, allowPrivateNetwork }: HttpWebhookOptions, check: OptionCheck): void {
  if (!allowedPorts && allowPrivateNetwork === true) return;
  const ports = allowedPorts ?? WEB_PORTS;
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  check.expect(ports.includes(port), 'url', `one of the ports ${ports.join(', ')} (allowedPorts)`, port);
}
