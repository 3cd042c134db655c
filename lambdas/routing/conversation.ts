/**
 * A conversation is identified by the client's name for it, or otherwise by the end user and the beginning of the first
 * message. Routing prefers the same endpoint for its later turns, because of its prompt cache and encrypted thinking.
 */

import type { RoutedRequest } from '../messages/preferences.ts';
import { sessionOf, type SentHeaders } from '../messages/session-names.ts';

const MAX_BEGINNING_CHARACTERS = 2_000;

export interface Conversation {
  /** Name that is the same in each turn. It may contain text of the prompt, so only its hash may be stored. */
  name: string;
  /** Whether the request is certainly the first turn. False if the client names a session. */
  isBeginning: boolean;
  /** The client's name for the conversation; undefined if it has not named one. */
  session: string | undefined;
}

export function conversationOf(request: RoutedRequest, headers: SentHeaders): Conversation {
  const session = sessionOf(request.session_id, headers, request.metadata?.user_id);
  return session === undefined
    ? { name: promptBeginning(request), isBeginning: request.messages.length === 1, session }
    : { name: `session\n${session}`, isBeginning: false, session };
}

function promptBeginning({ metadata, messages }: RoutedRequest): string {
  const content = messages[0]?.content ?? '';
  const text = typeof content === 'string' ? content : content.find((block) => block.type === 'text')?.['text'];
  return `${metadata?.user_id ?? ''}\n${typeof text === 'string' ? text.slice(0, MAX_BEGINNING_CHARACTERS) : ''}`;
}
