/**
 * Selects one of several endpoints with the same price. Each endpoint gets its part of the conversations, and all turns
 * of a conversation use the same endpoint. The method is rendezvous hashing: if an endpoint is added or removed, the
 * conversations of the other endpoints stay where they are.
 */

import { createHash } from 'node:crypto';

/**
 * Returns a value greater than 0 and at most 1 for an endpoint. Over many conversations, the values are uniformly
 * distributed. The endpoint with the greatest value is tried first.
 */
export type Draw = (endpointId: string) => number;

/**
 * Returns the function that gives each endpoint its value for a conversation. The same conversation always gives the
 * same values.
 * @param conversation name of the conversation
 */
export function drawOf(conversation: string): Draw {
  return (endpointId) => {
    const digest = createHash('sha256').update(`${endpointId}\n${conversation}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
