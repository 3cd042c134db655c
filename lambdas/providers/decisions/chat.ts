/** Encodes a non-streaming chat completion, with the fields that decisions need. */

import { wellFormedJson } from '../../platform/json/well-formed.ts';
import type { DecisionsChatQuirks } from '../../catalog/decisions-quirks.ts';
import type { WireUsage } from '../../messages/types.ts';
import { openaiUsage } from '../translated/openai-usage.ts';
import { withServiceTier } from '../translated/service-tier.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { WireRequest, WireTarget } from '../wire.ts';
import type { ChatMessage } from './prompt.ts';
import { isRecord, listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';

export function chatRequest(
  messages: readonly ChatMessage[],
  { upstreamModel, quirks }: WireTarget<DecisionsChatQuirks>,
  maxTokens: number,
  more: Record<string, unknown>,
): WireRequest {
  const limit = { [quirks.max_tokens_field ?? 'max_tokens']: maxTokens };
  const tier = quirks.service_tier ? { service_tier: quirks.service_tier } : {};
  const body = { model: upstreamModel, messages, ...limit, ...tier, stream: false, ...more };
  return { path: '/chat/completions', headers: { 'content-type': 'application/json' }, body: wellFormedJson(body) };
}

const DECISION_BYTES_PER_TOKEN = 4;

/**
 * Returns the estimated tokens of a prompt, without the JSON around its texts.
 * @param schema JSON schema of the answer, which providers add to the prompt
 */
export function decisionPrompt(messages: readonly ChatMessage[], schema?: object): { inputTokens: number } {
  const texts = [...messages.map(({ content }) => content), schema === undefined ? '' : JSON.stringify(schema)];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return { inputTokens: Math.ceil(bytes / DECISION_BYTES_PER_TOKEN) };
}

/**
 * Returns the first choice of a completion.
 * @throws {UpstreamError} if the completion has no choice
 */
export function choiceIn(body: unknown): Record<string, unknown> {
  const { choices } = recordOrEmpty(body);
  const [choice] = listOrEmpty(choices);
  if (!isRecord(choice)) {
    throw new UpstreamError('malformed', 'The provider sent a completion without a choice');
  }
  return choice;
}

export function chatUsage(body: unknown): WireUsage | undefined {
  const { usage, service_tier: served } = recordOrEmpty(body);
  return isRecord(usage) ? withServiceTier(openaiUsage(usage), served ?? usage['service_tier']) : undefined;
}
