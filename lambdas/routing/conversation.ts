/**
 * Identifies the conversation of a request: by the name that the client gives to it, or else by the user and the
 * beginning of the prompt. Routing prefers the same endpoint for later turns of a conversation: usually only that
 * endpoint has the prompt cached and can read its own encrypted thinking.
 */

import type { RoutedRequest } from '../messages/preferences.ts';
import { sessionOf, type SentHeaders } from '../messages/session-names.ts';

/**
 * Number of characters of the first message's text that identify a conversation. The whole prompt may be a hundred
 * times as long.
 */
const MAX_BEGINNING_CHARACTERS = 2_000;

export interface Conversation {
  /**
   * Name of the conversation, the same in each turn. It may contain text of the prompt, so only its hash may be stored.
   */
  name: string;
  /**
   * Whether the request is certainly the first turn of the conversation. False if the client names a session, because
   * the turn number is then unknown.
   */
  isBeginning: boolean;
}

export function conversationOf(request: RoutedRequest, headers: SentHeaders): Conversation {
  const session = sessionOf(request.session_id, headers, request.metadata?.user_id);
  return session === undefined
    ? { name: promptBeginning(request), isBeginning: request.messages.length === 1 }
    : { name: `session\n${session}`, isBeginning: false };
}

function promptBeginning({ metadata, messages }: RoutedRequest): string {
  const content = messages[0]?.content ?? '';
  const text = typeof content === 'string' ? content : content.find((block) => block.type === 'text')?.['text'];
  return `${metadata?.user_id ?? ''}\n${typeof text === 'string' ? text.slice(0, MAX_BEGINNING_CHARACTERS) : ''}`;
}
