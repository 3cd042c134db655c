/**
 * Selects one of several endpoints with the same price. Each gets its share of the conversations, and all turns of a
 * conversation use the same endpoint. It is rendezvous hashing: adding or removing an endpoint moves no conversations
 * between the others.
 */

import { createHash } from 'node:crypto';

/**
 * Greater than 0, and at most 1; uniformly distributed over conversations. The endpoint with the greatest value is
 * tried first.
 */
export type Draw = (endpointId: string) => number;

/** @param conversation its name */
export function drawOf(conversation: string): Draw {
  return (endpointId) => {
    const digest = createHash('sha256').update(`${endpointId}\n${conversation}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
