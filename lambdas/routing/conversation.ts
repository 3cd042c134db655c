/**
 * A conversation is what its turns have in common: the client's own name for it, or else who speaks and how it began. A
 * provider's cache of a prompt, and thinking that only this provider can read, are worth something to the next turn alone.
 */

import type { RoutedRequest } from '../messages/preferences.ts';

/** Headers in which clients name their sessions: OpenRouter's own, Claude Code's, opencode's, Codex', and pi's. */
const SESSION_HEADERS = ['x-session-id', 'x-claude-code-session-id', 'x-session-affinity', 'session-id', 'session_id'];

/** Enough to tell sessions apart; a name is hashed before it is kept or compared. */
const MAX_SESSION_NAME_CHARACTERS = 512;

/** Claude Code ends the user's id with its session, in one of two forms. */
const SESSION_IN_USER_ID = /(?:_session_|"session_id":")([\w-]{8,64})/;

/** Enough to tell conversations apart; what a prompt is made of may be a hundred times as long. */
const MAX_BEGINNING_CHARACTERS = 2_000;

export interface Conversation {
  /** Its name, the same in each of its turns. It may have text of the prompt in it: only a hash of it may be kept. */
  name: string;
  /** The request is its first turn. */
  isBeginning: boolean;
}

/** The conversation of a request: by the client's own name for it, or else by its user and how it began. */
export function conversationOf(request: RoutedRequest, headers: Headers): Conversation {
  const session = sessionOf(request, headers);
  return session === undefined
    ? { name: promptBeginning(request), isBeginning: request.messages.length === 1 }
    : { name: `session\n${session}`, isBeginning: false };
}

type Headers = Readonly<Record<string, string | undefined>>;

/** `session_id` of the body, or what the headers of the client and its user's id say. */
function sessionOf({ session_id: named, metadata }: RoutedRequest, headers: Headers): string | undefined {
  const said = [named, ...SESSION_HEADERS.map((name) => headers[name])].find((name) => name);
  if (said) return said.slice(0, MAX_SESSION_NAME_CHARACTERS);
  return SESSION_IN_USER_ID.exec(metadata?.user_id ?? '')?.[1];
}

function promptBeginning({ metadata, messages }: RoutedRequest): string {
  const content = messages[0]?.content ?? '';
  const text = typeof content === 'string' ? content : content.find((block) => block.type === 'text')?.['text'];
  return `${metadata?.user_id ?? ''}\n${typeof text === 'string' ? text.slice(0, MAX_BEGINNING_CHARACTERS) : ''}`;
}
