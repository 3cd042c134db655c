/**
 * Which of several endpoints of the same price a request goes to: each gets its share of the conversations, and all turns of
 * one conversation go to the same. A provider's cache of a prompt, and thinking that only it can read, would be lost on the
 * way to another. (Rendezvous hashing: an endpoint that comes or goes moves no other conversation.)
 */

import { createHash } from 'node:crypto';
import type { MessagesRequest } from '../messages/types.ts';

/** Greater than 0, and at most 1; equally distributed over conversations. The greatest one is tried first. */
export type Draw = (endpointId: string) => number;

/** Enough to tell conversations apart; what a prompt is made of may be a hundred times as long. */
const MAX_CHARACTERS = 2_000;

export function drawOf(request: MessagesRequest): Draw {
  let beginning: string | undefined;
  return (endpointId) => {
    beginning ??= beginningOf(request);
    const digest = createHash('sha256').update(`${endpointId}\n${beginning}`).digest();
    return (digest.readUInt32BE() + 1) / 2 ** 32;
  };
}

/** What every turn of a conversation has in common: who speaks, and how he began. */
function beginningOf({ metadata, messages }: MessagesRequest): string {
  const content = messages[0]?.content ?? '';
  const text = typeof content === 'string' ? content : content.find((block) => block.type === 'text')?.['text'];
  return `${metadata?.user_id ?? ''}\n${typeof text === 'string' ? text.slice(0, MAX_CHARACTERS) : ''}`;
}
