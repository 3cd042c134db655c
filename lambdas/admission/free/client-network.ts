import { createHmac } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';

/** Common name of all invalid addresses, so that an invalid address does not bypass the limit. */
const UNKNOWN = 'unknown';
const GROUPS = 8;
/**
 * Number of 16-bit groups of an IPv6 address that identify a network. A client usually controls all addresses of a /64.
 */
const NETWORK_GROUPS = 4;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  const ipv4 = MAPPED_IPV4.exec(plain)?.[1] ?? plain;
  if (isIPv4(ipv4)) return ipv4;
  return isIP(plain) === 6 ? `${addressGroups(plain).slice(0, NETWORK_GROUPS).join(':')}::/64` : UNKNOWN;
}

/**
 * Returns a hash that names a network for one day: an IPv4 address, or the /64 of an IPv6 address. Without the pepper,
 * the hash does not reveal the network.
 */
export function networkHash(pepper: string, address: string, date: string): string {
  return createHmac('sha256', pepper)
    .update(`address\n${date}\n${networkOf(address)}`)
    .digest('hex');
}

function addressGroups(address: string): string[] {
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => '0'), ...after];
}
