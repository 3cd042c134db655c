/**
 * Selects one of several endpoints with the same price by rendezvous hashing. The turns of a conversation normally use
 * the same endpoint. If an endpoint is removed, only its conversations move; if one is added, some conversations move
 * to it.
 */

import { createHash } from 'node:crypto';

/** Returns a value greater than 0 and at most 1. Over many conversations, the values are uniformly distributed. */
export type Draw = (endpointId: string) => number;

/** Returns a function whose values depend only on the conversation and the endpoint. */
export function drawOf(conversation: string): Draw {
  return (endpointId) => {
    const digest = createHash('sha256').update(`${endpointId}\n${conversation}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
