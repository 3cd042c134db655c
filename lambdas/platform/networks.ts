/** Reads networks: an IPv4 or IPv6 address, or a block of addresses in CIDR notation. */

import { BlockList, isIP } from 'node:net';

interface Network {
  address: string;
  prefix: number;
  version: 4 | 6;
}

const NETWORK = /^([0-9a-f:.]{2,45})(?:\/(\d{1,3}))?$/i;
/** Matches the host name of an IPv4 address in IPv6 notation, in ::ffff:0:0/96 (RFC 4291, section 2.5.5.2). */
const MAPPED_HOST = /^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/;
const MAPPED_PREFIX = 96;

/** Returns whether an address is an IPv4 address in IPv6 notation, in any spelling. */
function isMapped(address: string): boolean {
  return isIP(address) === 6 && MAPPED_HOST.test(new URL(`http://[${address}]`).hostname);
}

/** Parses a network; undefined for any other text. */
function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = NETWORK.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  const length = prefix === undefined ? longest : Number(prefix);
  return length <= longest ? { address, prefix: length, version: version as 4 | 6 } : undefined;
}

/** Returns whether a text is a network, except for IPv4 addresses in IPv6 notation. */
export function isNetwork(text: string): boolean {
  const network = parseNetwork(text);
  return network !== undefined && !isMapped(network.address);
}

/** Node matches IPv4 addresses also with IPv6 networks, so each version has its own list. */
type Lists = Record<4 | 6, BlockList>;

const parsed = new WeakMap<readonly string[], Lists>();

/**
 * Returns whether an address is in one of the networks. A text that is not an address is in no network. An IPv4 address
 * in IPv6 notation (`::ffff:192.0.2.1`) counts as the IPv4 address. IPv6 networks contain no IPv4 address.
 */
export function areNetworksOf(networks: readonly string[], address: string): boolean {
  const [plain = ''] = address.split('%');
  const version = isIP(plain) as 0 | 4 | 6;
  if (version === 0) return false;
  let lists = parsed.get(networks);
  if (!lists) parsed.set(networks, (lists = listsOf(networks)));
  return lists[isMapped(plain) ? 4 : version].check(plain, `ipv${version}`);
}

function listsOf(networks: readonly string[]): Lists {
  const lists = { 4: new BlockList(), 6: new BlockList() };
  for (const network of networks) {
    const { address, prefix, version } = parseNetwork(network)!;
    // Stored networks from earlier versions may be IPv4 networks in IPv6 notation.
    const listVersion = isMapped(address) && prefix >= MAPPED_PREFIX ? 4 : version;
    lists[listVersion].addSubnet(address, prefix, `ipv${version}`);
  }
  return lists;
}
