import { createHash } from 'node:crypto';

/** Which ids of tool calls an upstream accepts. */
export const toolIdRules = {
  anthropic: /^[a-zA-Z0-9_-]{1,64}$/,
  openai: /^.{1,40}$/,
  nineAlphanumerics: /^[a-zA-Z0-9]{9}$/,
  any: /^/,
} as const;

const digestLengths: Record<keyof typeof toolIdRules, number> = {
  anthropic: 24,
  openai: 24,
  nineAlphanumerics: 9,
  any: 24,
};

/**
 * A tool call's id as the upstream accepts it. One that breaks its rule (of another family, mid-conversation)
 * becomes a digest: the same in the call and in its result, in this request and in the next.
 */
export function toolCallId(id: string, rule: keyof typeof toolIdRules): string {
  if (toolIdRules[rule].test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, digestLengths[rule]);
}
