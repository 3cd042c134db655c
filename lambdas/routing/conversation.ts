/**
 * Identifies the conversation of a request: by the name that the client gives to it, or else by the user and the
 * beginning of the prompt. Routing sends later turns of a conversation to the same endpoint: only that endpoint has the
 * prompt cached and can read its own encrypted thinking.
 */

import type { RoutedRequest } from '../messages/preferences.ts';

/** Headers in which clients send session names: OpenRouter, Claude Code, opencode, Codex and pi. */
const SESSION_HEADERS = ['x-session-id', 'x-claude-code-session-id', 'x-session-affinity', 'session-id', 'session_id'];

/**
 * Maximum length of a session name, enough to distinguish sessions. The name is hashed before it is stored or compared.
 */
const MAX_SESSION_NAME_CHARACTERS = 512;

/** Matches the session id that Claude Code includes in the user id, in either of its two formats. */
const SESSION_IN_USER_ID = /(?:_session_|"session_id":")([\w-]{8,64})/;

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

export function conversationOf(request: RoutedRequest, headers: Headers): Conversation {
  const session = sessionOf(request, headers);
  return session === undefined
    ? { name: promptBeginning(request), isBeginning: request.messages.length === 1 }
    : { name: `session\n${session}`, isBeginning: false };
}

type Headers = Readonly<Record<string, string | undefined>>;

/** Returns the session that the client names in `session_id` of the body, else in its headers, else in its user id. */
function sessionOf({ session_id: named, metadata }: RoutedRequest, headers: Headers): string | undefined {
  const sessionName = [named, ...SESSION_HEADERS.map((name) => headers[name])].find((name) => name);
  if (sessionName) return sessionName.slice(0, MAX_SESSION_NAME_CHARACTERS);
  return SESSION_IN_USER_ID.exec(metadata?.user_id ?? '')?.[1];
}

function promptBeginning({ metadata, messages }: RoutedRequest): string {
  const content = messages[0]?.content ?? '';
  const text = typeof content === 'string' ? content : content.find((block) => block.type === 'text')?.['text'];
  return `${metadata?.user_id ?? ''}\n${typeof text === 'string' ? text.slice(0, MAX_BEGINNING_CHARACTERS) : ''}`;
}
