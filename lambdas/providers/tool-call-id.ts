/**
 * Converts ids of tool calls between clients and providers. Clients of the Messages API may refuse an id with unusual
 * characters. Some models require their own ids in the conversation (`functions.look:0`). The gateway wraps such ids
 * for the client, and unwraps them when they come back.
 */

import { createHash } from 'node:crypto';

/** Accepted ids of tool calls for each kind of provider. */
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

/** The pattern of the Messages API. */
const CLIENT_ID = /^[a-zA-Z0-9_-]+$/;
const WRAPPED = /^toolu_gw1_([a-zA-Z0-9_-]+)$/;
/** A longer id has no meaning for a model. It only has to be the same each time. */
const MAX_ID_BYTES = 256;

/** The client's form of a provider's id. */
export function clientCallId(id: string): string {
  if (id.length > MAX_ID_BYTES) return `toolu_${digest(id, 24)}`;
  return CLIENT_ID.test(id) ? id : `toolu_gw1_${Buffer.from(id).toString('base64url')}`;
}

/**
 * The id of a tool call in a form that the provider accepts. An id with another form, for example after a change of
 * model, becomes a digest. It is the same in the call and its result, and in every request.
 */
export function toolCallId(id: string, rule: keyof typeof toolIdRules): string {
  const accepted = [unwrapped(id), id].find(
    (candidate) => candidate !== undefined && toolIdRules[rule].test(candidate),
  );
  return accepted ?? digest(id, digestLengths[rule]);
}

/** The provider's own id in a wrapped id; undefined if the id is not wrapped. */
function unwrapped(id: string): string | undefined {
  const payload = WRAPPED.exec(id)?.[1];
  if (payload === undefined) return undefined;
  const own = Buffer.from(payload, 'base64url').toString('utf8');
  return clientCallId(own) === id ? own : undefined;
}

function digest(id: string, length: number): string {
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
