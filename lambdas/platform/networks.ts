/**
 * Reads networks that people enter: an IPv4 or IPv6 address, or a block of addresses in CIDR notation. Checks whether
 * an address is in a network.
 */

import { BlockList, isIP } from 'node:net';

interface Network {
  address: string;
  prefix: number;
  version: 4 | 6;
}

const NETWORK = /^([0-9a-f:.]{2,45})(?:\/(\d{1,3}))?$/i;
/** Host name of a URL with an IPv4 address in IPv6 notation, which is in ::ffff:0:0/96 (RFC 4291, section 2.5.5.2). */
const MAPPED_HOST = /^\[::ffff:[0-9a-f]+:[0-9a-f]+\]$/;
/** Length of the prefix of all IPv4 addresses in IPv6 notation. */
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

/** Returns whether a text is a network that may be entered. IPv4 addresses in IPv6 notation are refused. */
export function isNetwork(text: string): boolean {
  const network = parseNetwork(text);
  return network !== undefined && !isMapped(network.address);
}

/**
 * Networks by their version of IP. Node matches IPv4 addresses also with IPv6 networks, so each version has its own
 * list.
 */
type Lists = Record<4 | 6, BlockList>;

/**
 * Parsed lists of networks, by the list of texts. A list is reused for a few seconds, because keys are cached with
 * their lists.
 */
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
    // Stored networks from earlier versions may be IPv4 networks in IPv6 notation. Node matches IPv4 addresses with them.
    const listVersion = isMapped(address) && prefix >= MAPPED_PREFIX ? 4 : version;
    lists[listVersion].addSubnet(address, prefix, `ipv${version}`);
  }
  return lists;
}
