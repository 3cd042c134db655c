/**
 * Finds out whether an IP address is public. A URL given by a person must not make the gateway connect to an address in
 * its own network, because servers there may trust the gateway.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Range from which public IPv6 addresses are assigned. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Addresses in the public range that are reachable only inside a cloud: Azure's address for services of the host. */
const hostServices = new Set(['168.63.129.16']);

/**
 * Returns whether an address is public. Link-local addresses, at which clouds serve credentials, are not public, and
 * neither are IPv6 addresses that contain an IPv4 address (mapped, 6to4, Teredo, and the well-known NAT64 prefix).
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
