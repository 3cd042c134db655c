/** Whose address a request comes from, as far as free use is counted by address. */

import { createHmac } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

/** Counted together: nobody should get around the count by sending an address that is none. */
const UNKNOWN = 'unknown';
const GROUPS = 8;
/** A client with IPv6 is usually given all addresses of a /64. */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The network that an address is counted as: itself for IPv4, its /64 for IPv6. */
function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  const ipv4 = MAPPED_IPV4.exec(plain)?.[1] ?? plain;
  if (isIPv4(ipv4)) return ipv4;
  return isIP(plain) === 6 ? `${addressGroups(plain).slice(0, NETWORK_GROUPS).join(':')}::/64` : UNKNOWN;
}

/** A name for a network that says nothing about it without the pepper, and is another one every day. */
export function networkHash(pepper: string, address: string, date: string): string {
  return createHmac('sha256', pepper)
    .update(`address\n${date}\n${networkOf(address)}`)
    .digest('hex');
}

/** The eight groups of an IPv6 address, written out. */
function addressGroups(address: string): string[] {
  // The parser of URLs writes an address in one way, with a last part like IPv4 in hex.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => '0'), ...after];
}
