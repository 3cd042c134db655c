import { recordOrEmpty } from '../platform/json/foreign-json.ts';

const SESSION_HEADERS = ['x-session-id', 'x-claude-code-session-id', 'x-session-affinity', 'session-id', 'session_id'];

/** Maximum length of a session name. Longer names are cut. */
const MAX_SESSION_NAME_CHARACTERS = 512;

/** Claude Code includes the session id in the user id, in one of two formats. */
const SESSION_IN_USER_ID = /(?:_session_|"session_id":")([\w-]{8,64})/;

export type SentHeaders = Readonly<Record<string, string | undefined>>;

/** Returns the session that the client names in the body, else in its headers, else in its user id. */
export function sessionOf(
  named: string | undefined,
  headers: SentHeaders,
  userId: string | null | undefined,
): string | undefined {
  const sessionName = [named, ...SESSION_HEADERS.map((name) => headers[name])].find((name) => name);
  if (sessionName) return sessionName.slice(0, MAX_SESSION_NAME_CHARACTERS);
  return SESSION_IN_USER_ID.exec(userId ?? '')?.[1];
}

/** Returns a user id without the session that Claude Code adds to it. */
export function withoutSession(userId: string): string {
  const [, user] = /^(.+)_session_[\w-]{8,64}$/s.exec(userId) ?? [];
  if (user !== undefined) return user;
  if (!userId.startsWith('{') || !SESSION_IN_USER_ID.test(userId)) return userId;
  const { account_uuid: account, device_id: device } = recordOrEmpty(userIdAsJson(userId));
  return [account, device].find((id): id is string => typeof id === 'string' && id !== '') ?? userId;
}

function userIdAsJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
