import { describe, expect, it } from 'vitest';
import { networkHash } from '../../lambdas/admission/free/client-network.ts';

const DATE = '2026-11-20';
const hash = (address: string) => networkHash('pepper', address, DATE);

describe('the network of a client is the same as that of', () => {
  it.each([
    ['itself', '203.0.113.7', '203.0.113.7'],
    ['itself, written as IPv6', '203.0.113.7', '::ffff:203.0.113.7'],
    ['another address of its /64', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::1'],
    ['the same address, written in another way', '2001:0DB8:0001:0002:0:0:0:0001', '2001:db8:1:2::1'],
    ['the same address with a part like IPv4', '2001:db8:1:2::c000:201', '2001:db8:1:2::192.0.2.1'],
    ['another link-local address, without the name of an interface', 'fe80::1%eth0', 'fe80::2'],
    ['all clients without a valid address', '', 'unknown, 203.0.113.7'],
  ])('%s', (_, one, other) => {
    expect(hash(one)).toBe(hash(other));
  });
});

describe('the network of a client differs from that of', () => {
  it.each([
    ['another IPv4 address', '203.0.113.7', '203.0.113.8'],
    ['the next /64', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['an address with zeros at another place', '::1:2:3:4', '1:2:3:4::'],
    ['clients without a valid address', '::', ''],
  ])('%s', (_, one, other) => {
    expect(hash(one)).not.toBe(hash(other));
  });
});

describe('the hash of a network', () => {
  it('differs each day, and for each pepper', () => {
    const names = [hash('203.0.113.7'), networkHash('pepper', '203.0.113.7', '2026-11-21')];
    names.push(networkHash('other', '203.0.113.7', DATE));

    expect(new Set(names).size).toBe(3);
  });
});
