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

  it.each([
    { stored: '::ffff:c000:200/120', inside: '192.0.2.255', outside: '192.0.3.0' },
    { stored: '0:0:0:0:0:FFFF:192.0.2.0/120', inside: '192.0.2.1', outside: '192.0.1.255' },
    { stored: '::ffff:192.0.2.1', inside: '192.0.2.1', outside: '192.0.2.2' },
    { stored: '::ffff:0:0/96', inside: '198.51.100.1', outside: '2001:db8::1' },
    { stored: '::ffff:0:0/95', inside: '::fffe:0:1', outside: '192.0.2.1' },
  ])('of the stored network $stored, which may no longer be entered, keeps its meaning', (example) => {
    const { stored, inside, outside } = example;
    expect(areNetworksOf([stored], inside)).toBe(true);
    expect(areNetworksOf([stored], outside)).toBe(false);
  });
});
