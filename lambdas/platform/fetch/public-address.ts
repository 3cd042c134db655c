/**
 * Decides whether an IP address is on the public internet. A URL given by a person must not make the gateway connect to
 * an address in its own network, because servers there may trust the gateway.
 */

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * The range from which all public IPv6 addresses are assigned. Other addresses have special purposes, or are
 * unassigned.
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
/** Addresses in the public range that are reachable only inside a cloud: Azure's address for services of the host. */
const hostServices = new Set(['168.63.129.16']);

/**
 * Returns whether an address is public. It is false for all other addresses, for example private, loopback, shared,
 * multicast, documentation, benchmark and reserved addresses, and for link-local addresses, at which clouds serve
 * credentials. It is also false for IPv6 addresses that contain an IPv4 address (mapped, NAT64, 6to4, Teredo).
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
