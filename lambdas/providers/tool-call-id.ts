/**
 * Encodes ids of tool calls with unusual characters, such as `functions.look:0`, for clients that may reject them, and
 * decodes them for the models that require them.
 */

import { createHash } from 'node:crypto';

/** Patterns of the tool call ids that providers accept, by rule. */
export const toolIdRules = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  openai: /^.{1,40}$/,
  openaiResponses: /^.{1,64}$/,
  nineAlphanumerics: /^[a-zA-Z0-9]{9}$/,
  any: /^/,
} as const;

const digestLengths: Record<keyof typeof toolIdRules, number> = {
  anthropic: 24,
  openai: 24,
  openaiResponses: 24,
  nineAlphanumerics: 9,
  any: 24,
};

/** Matches ids that the Messages API allows. */
const CLIENT_ID = /^[a-zA-Z0-9_-]+$/;
const WRAPPED = /^toolu_gw1_([a-zA-Z0-9_-]+)$/;
/** Maximum length of a provider's id. A longer id is replaced by its digest. */
const MAX_ID_CHARACTERS = 256;

/** Returns a provider's id in the form that the client gets. */
export function clientCallId(id: string): string {
  if (id.length > MAX_ID_CHARACTERS) return `toolu_${digest(id, 24)}`;
  return CLIENT_ID.test(id) ? id : `toolu_gw1_${Buffer.from(id).toString('base64url')}`;
}

/**
 * Returns an id that the provider accepts: the provider's own id, the id itself, or a digest. It is the same in every
 * call, result and request.
 */
export function toolCallId(id: string, rule: keyof typeof toolIdRules): string {
  const accepted = [unwrapped(id), id].find(
    (candidate) => candidate !== undefined && toolIdRules[rule].test(candidate),
  );
  return accepted ?? digest(id, digestLengths[rule]);
}

/** Decodes an id that the gateway encoded, and returns the provider's own id; undefined for any other id. */
function unwrapped(id: string): string | undefined {
  const payload = WRAPPED.exec(id)?.[1];
  if (payload === undefined) return undefined;
  const own = Buffer.from(payload, 'base64url').toString('utf8');
  return clientCallId(own) === id ? own : undefined;
}

function digest(id: string, length: number): string {
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
