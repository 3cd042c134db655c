/**
 * Selects one of several endpoints with the same price. Each gets its share of the conversations, and all turns of a
 * conversation use the same endpoint. The method is rendezvous hashing: if an endpoint is added or removed,
 * conversations do not move between the other endpoints.
 */

import { createHash } from 'node:crypto';

/**
 * Returns a value greater than 0 and at most 1 for an endpoint, uniformly distributed over conversations. The endpoint
 * with the greatest value is tried first.
 */
export type Draw = (endpointId: string) => number;

/**
 * Returns the function that gives each endpoint its value for a conversation. The values of a conversation stay the same.
 * @param conversation name of the conversation
 */
export function drawOf(conversation: string): Draw {
  return (endpointId) => {
    const digest = createHash('sha256').update(`${endpointId}\n${conversation}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
