import { createHash } from 'node:crypto';

/** Which ids of tool calls an upstream takes. */
export const toolIdRules = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  openai: /^.{1,40}$/,
  nineAlphanumerics: /^[a-zA-Z0-9]{9}$/,
} as const;

const digestLengths: Record<keyof typeof toolIdRules, number> = { anthropic: 24, openai: 24, nineAlphanumerics: 9 };

/**
 * An id of a tool call as the upstream takes it. One that breaks its rule (calls of other families, mid-conversation) is
 * replaced by a digest: the same id becomes the same in the call and in its result, in this request and in the next.
 */
export function toolCallId(id: string, rule: keyof typeof toolIdRules): string {
  if (toolIdRules[rule].test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, digestLengths[rule]);
}
