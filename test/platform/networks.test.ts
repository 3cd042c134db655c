import { describe, expect, it } from 'vitest';
import { areNetworksOf, isNetwork } from '../../lambdas/platform/networks.ts';

describe('a network', () => {
  it.each(['192.0.2.7', '192.0.2.0/24', '0.0.0.0/0', '2001:db8::1', '2001:DB8::/32', '::/0', '::/1', '::ffff:1'])(
    'may be %s',
    (text) => {
      expect(isNetwork(text)).toBe(true);
    },
  );

  it.each([
    '',
    'localhost',
    '192.0.2.0/33',
    '192.0.2/24',
    '192.0.2.0/',
    '192.0.2.0/-1',
    '2001:db8::/129',
    'fe80::1%eth0',
    '::ffff:192.0.2.1',
    '::ffff:c000:201',
    '0:0:0:0:0:FFFF:c000:201',
    '0::ffff:192.0.2.1',
    '::ffff:c000:200/120',
    '::ffff:0:0/96',
    ' 192.0.2.1',
  ])('must not be "%s"', (text) => {
    expect(isNetwork(text)).toBe(false);
  });
});

describe('a list of networks', () => {
  const networks = ['10.1.0.0/16', '192.0.2.7', '2001:db8::/32'];

  it.each([
    '10.1.255.255',
    '192.0.2.7',
    '2001:db8:ffff::1',
    '::ffff:10.1.2.3',
    '::ffff:a01:203',
    '0:0:0:0:0:ffff:10.1.2.3',
    '2001:db8::1%eth0',
  ])('contains %s', (address) => {
    expect(areNetworksOf(networks, address)).toBe(true);
  });

  it.each(['10.2.0.0', '192.0.2.8', '2001:db9::1', '::ffff:10.2.0.1', '', 'unknown', '10.1.2.3, 10.1.2.4'])(
    'does not contain "%s"',
    (address) => {
      expect(areNetworksOf(networks, address)).toBe(false);
    },
  );

  it('with all IPv4 addresses contains no IPv6 address', () => {
    expect(areNetworksOf(['0.0.0.0/0'], '2001:db8::1')).toBe(false);
  });

  it.each(['::/0', '::/1', '::/64'])('with the IPv6 addresses of %s contains no IPv4 address', (network) => {
    for (const address of ['192.0.2.1', '::ffff:192.0.2.1', '::ffff:c000:201'])
      expect(areNetworksOf([network], address)).toBe(false);
  });

  it('contains no IPv4 address by a stored network of IPv4 addresses in IPv6 notation', () => {
    const stored = ['::ffff:c000:200/120', '::ffff:0:0/96', '::ffff:192.0.2.1', '2001:db8::/32'];
    expect(areNetworksOf(stored, '192.0.2.1')).toBe(false);
    expect(areNetworksOf(stored, '2001:db8::1')).toBe(true);
  });
});
