/**
 * Which of several endpoints of the same price a request goes to: each gets its share of the conversations, and all turns of
 * one conversation go to the same. (Rendezvous hashing: an endpoint that comes or goes moves no other conversation.)
 */

import { createHash } from 'node:crypto';
import type { RoutedRequest } from '../messages/preferences.ts';
import { conversationName } from './conversation.ts';

/** Greater than 0, and at most 1; equally distributed over conversations. The greatest one is tried first. */
export type Draw = (endpointId: string) => number;

/** @param session the client's own name for the conversation, where it has said one */
export function drawOf(request: RoutedRequest, session?: string): Draw {
  let name: string | undefined;
  return (endpointId) => {
    name ??= conversationName(request, session);
    const digest = createHash('sha256').update(`${endpointId}\n${name}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}
