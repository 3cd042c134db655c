import { GatewayError } from '../platform/errors.ts';
import { areNetworksOf } from '../platform/networks.ts';
import type { Caller } from './caller.ts';
import { useLimitsFor } from './use-limits.ts';

/**
 * Checks that the key, its workspace and its member allow the client's network.
 * @param clientAddress source address of the connection, as AWS, the socket or a trusted proxy reports it
 * @throws {GatewayError} 403 for another network; the networks are not named, because the key may have leaked
 */
export function checkNetwork(caller: Caller, clientAddress: string): void {
  for (const { owner, limits } of useLimitsFor(caller)) {
    const { allowedNetworks } = limits;
    if (!allowedNetworks || areNetworksOf(allowedNetworks, clientAddress)) continue;
    throw new GatewayError(
      'permission_denied',
      `${owner} may not be used from this network: the gateway sees the address ${clientAddress || 'unknown'}. Its setting allowed_networks lists the networks that may use it.`,
      { metadata: { limit_source: 'allowed_networks', client_address: clientAddress } },
    );
  }
}
