/** Addresses of the public internet. URLs given by people must not lead into networks that trust the gateway. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 addresses assigned to the public. All others are for special purposes, or unassigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Looks public, but is only reachable inside of its cloud: the host's own services on Azure. */
const hostServices = new Set(['168.63.129.16']);

/**
 * False for private, loopback, link-local (with the clouds' metadata), shared, multicast, documentation, benchmark and
 * reserved addresses, and for IPv6 that contains an IPv4 address (mapped, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || hostServices.has(text)) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(globalUnicast);
}

export function isLoopbackAddress(text: string): boolean {
  return isIP(text) !== 0 && ipaddr.parse(text).range() === 'loopback';
}
