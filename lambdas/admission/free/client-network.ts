/** The client's network, by which free use is counted. */

import { createHmac } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

/** Invalid addresses are counted together, so that sending one does not bypass the count. */
const UNKNOWN = 'unknown';
const GROUPS = 8;
/** A client with IPv6 usually has all addresses of a /64. */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The network that an address is counted under: the address itself for IPv4, its /64 for IPv6. */
function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  const ipv4 = MAPPED_IPV4.exec(plain)?.[1] ?? plain;
  if (isIPv4(ipv4)) return ipv4;
  return isIP(plain) === 6 ? `${addressGroups(plain).slice(0, NETWORK_GROUPS).join(':')}::/64` : UNKNOWN;
}

/** A name for a network. It reveals nothing about the network without the pepper, and changes every day. */
export function networkHash(pepper: string, address: string, date: string): string {
  return createHmac('sha256', pepper)
    .update(`address\n${date}\n${networkOf(address)}`)
    .digest('hex');
}

/** The eight groups of an IPv6 address, without abbreviation. */
function addressGroups(address: string): string[] {
  // The URL parser writes each address in one canonical form, with an IPv4-style ending in hex.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => '0'), ...after];
}
