/**
 * Ids of tool calls on their way between clients and providers. Clients of the Messages API may refuse an id with other
 * characters than its pattern has, and some models only understand a conversation whose calls have the ids that they gave
 * them (`functions.look:0`): such an id is wrapped for the client, and unwrapped on its way back.
 */

import { createHash } from 'node:crypto';

/** Which ids of tool calls an upstream accepts. */
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
/** A longer one is nobody's name for a call, and only has to be the same each time. */
const MAX_ID_BYTES = 256;

/** A provider's id of a call as clients may see it. */
export function clientCallId(id: string): string {
  if (id.length > MAX_ID_BYTES) return `toolu_${digest(id, 24)}`;
  return CLIENT_ID.test(id) ? id : `toolu_gw1_${Buffer.from(id).toString('base64url')}`;
}

/**
 * A tool call's id as the upstream accepts it. One that breaks its rule (of another family, mid-conversation)
 * becomes a digest: the same in the call and in its result, in this request and in the next.
 */
export function toolCallId(id: string, rule: keyof typeof toolIdRules): string {
  const accepted = [unwrapped(id), id].find(
    (candidate) => candidate !== undefined && toolIdRules[rule].test(candidate),
  );
  return accepted ?? digest(id, digestLengths[rule]);
}

/** The provider's own id in a wrapped one. */
function unwrapped(id: string): string | undefined {
  const payload = WRAPPED.exec(id)?.[1];
  if (payload === undefined) return undefined;
  const own = Buffer.from(payload, 'base64url').toString('utf8');
  return clientCallId(own) === id ? own : undefined;
}

function digest(id: string, length: number): string {
  return createHash('sha256').update(id).digest('hex').slice(0, length);
}
