/**
 * Which of several endpoints of the same price a request goes to: each gets its share of the conversations, and all turns of
 * one conversation go to the same. (Rendezvous hashing: an endpoint that comes or goes moves no other conversation.)
 */

import { createHash } from 'node:crypto';

/** Greater than 0, and at most 1; equally distributed over conversations. The greatest one is tried first. */
export type Draw = (endpointId: string) => number;

/** @param conversation its name */
export function drawOf(conversation: string): Draw {
  return (endpointId) => {
    const digest = createHash('sha256').update(`${endpointId}\n${conversation}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
