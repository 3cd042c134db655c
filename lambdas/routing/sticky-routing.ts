/**
 * Selects one of several endpoints with the same price. Each endpoint gets its share of the conversations, and the
 * turns of a conversation normally use the same endpoint. The method is rendezvous hashing: if an endpoint is removed,
 * only its conversations move; if one is added, some conversations move to it.
 */

import { createHash } from 'node:crypto';

/**
 * Returns an endpoint's value, greater than 0 and at most 1. Over many conversations, the values are uniformly
 * distributed. Of endpoints with equal prices and weights, the one with the greatest value is tried first.
 */
export type Draw = (endpointId: string) => number;

/**
 * Returns the function that computes each endpoint's value for a conversation. The same conversation always gets the
 * same values.
 * @param conversation name of the conversation
 */
export function drawOf(conversation: string): Draw {
  return (endpointId) => {
    const digest = createHash('sha256').update(`${endpointId}\n${conversation}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
