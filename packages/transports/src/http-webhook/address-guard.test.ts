import { describe, expect, test } from 'vitest';
import { guardAddresses, parseNetwork } from './address-guard.ts';

const PUBLIC_ADDRESSES = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '100.63.255.255',
  '100.128.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001::8a',
  '64:ff9b::8.8.8.8',
];

const FORBIDDEN_ADDRESSES = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::127.0.0.1',
  '64:ff9b::a00:1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::8.8.8.8',
  '100::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00:ec2::254',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '',
  'localhost',
  '127.1',
  '2130706433',
  '1.2.3.4.5',
];

describe('guardAddresses', () => {
  const guard = guardAddresses([]);

  test.each(PUBLIC_ADDRESSES)('T03: %s is let through', (address) => {
    expect(guard.allows(address)).toBe(true);
  });

  test.each(FORBIDDEN_ADDRESSES)('T03: "%s" is not let through', (address) => {
    expect(guard.allows(address)).toBe(false);
  });

  test('T03: a network that is named is let through, its neighbours are not', () => {
    const inner = guardAddresses([
      { address: '10.20.0.0', prefix: 16 },
      { address: 'fd12::', prefix: 64 },
    ]);
    expect(['10.20.0.1', '10.20.255.255', 'fd12::1', '8.8.8.8'].map(inner.allows)).toEqual([true, true, true, true]);
    expect(['10.19.255.255', '10.21.0.0', 'fd12:0:0:1::1', '127.0.0.1'].map(inner.allows)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });
});

describe('parseNetwork', () => {
  test('T03: reads ranges and single addresses', () => {
    expect(parseNetwork('10.20.0.0/16')).toEqual({ address: '10.20.0.0', prefix: 16 });
    expect(parseNetwork('fd12::/64')).toEqual({ address: 'fd12::', prefix: 64 });
    expect(parseNetwork('10.20.0.1')).toEqual({ address: '10.20.0.1', prefix: 32 });
  });

  test.each(['', '10.20.0.0/', '10.20.0.0/33', '10.20.0.0/-1', '10.20.0.0/8/8', 'fd12::/129', 'example.com', 7])(
    'T03: %j is no network',
    (text) => {
      expect(parseNetwork(text)).toBeNull();
    },
  );
});
