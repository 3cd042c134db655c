/** Which addresses belong to the open internet: what people name may not lead into networks that trust the gateway. */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 that is handed out to anyone; all else is for special purposes, or for nothing yet. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Looks public, and answers only inside of its cloud: the host's own services on Azure. */
const hostServices = new Set(['168.63.129.16']);

/**
 * False for private, loopback, link-local (with the clouds' metadata), shared, multicast, documentation, benchmark and
 * reserved addresses, and for IPv6 that has an IPv4 address inside (mapped, NAT64, 6to4, Teredo).
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
