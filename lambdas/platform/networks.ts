/**
 * Reads networks that people enter: an IPv4 or IPv6 address, or a block of addresses in CIDR notation. Checks whether
 * an address is in a network.
 */

import { BlockList, isIP } from 'node:net';

interface Network {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

const NETWORK = /^([0-9a-f:.]{2,45})(?:\/(\d{1,3}))?$/i;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Parses a network; undefined for any other text, and for IPv4 addresses in IPv6 notation. */
function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = NETWORK.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0 || MAPPED_IPV4.test(address)) return undefined;
  const longest = version === 4 ? 32 : 128;
  const length = prefix === undefined ? longest : Number(prefix);
  return length <= longest ? { address, prefix: length, family: `ipv${version as 4 | 6}` } : undefined;
}

export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined;
}

/**
 * Parsed lists of networks, by the list of texts. A list is reused for a few seconds, because keys are cached with
 * their lists.
 */
const parsed = new WeakMap<readonly string[], BlockList>();

/**
 * Returns whether an address is in one of the networks. A text that is not an address is in no network. An IPv4 address
 * in IPv6 notation (`::ffff:192.0.2.1`) counts as the IPv4 address.
 */
export function areNetworksOf(networks: readonly string[], address: string): boolean {
  const [plain = ''] = address.split('%');
  const bare = MAPPED_IPV4.exec(plain)?.[1] ?? plain;
  const version = isIP(bare);
  if (version === 0) return false;
  let list = parsed.get(networks);
  if (!list) parsed.set(networks, (list = listOf(networks)));
  return list.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const { address, prefix, family } = parseNetwork(network)!;
    list.addSubnet(address, prefix, family);
  }
  return list;
}
