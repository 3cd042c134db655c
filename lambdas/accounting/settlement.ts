import { z } from 'zod';
import { Money } from '../money/money.ts';
import { scopeKinds } from '../store/counters.ts';
import type { Hold, Outcome, Payer } from '../store/generations.ts';

/** One generation on its way into the books. Ids, counts, times and amounts only: no text of prompts or answers. */
export interface Settlement {
  generationId: string;
  payer: Payer;
  hold: Hold;
  outcome: Outcome;
}

const money = z.string().transform((text, context) => {
  try {
    return Money.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not a decimal amount' });
    return z.NEVER;
  }
});
const count = z.int().nonnegative();

/** The body of a message in the finalize queue; version 1. */
const settlementMessage = z.strictObject({
  v: z.literal(1),
  generation_id: z.string(),
  payer: z.strictObject({
    account_id: z.string(),
    workspace_id: z.string(),
    member_id: z.string().optional(),
    key_hash: z.string(),
  }),
  hold: z.strictObject({ amount_rub: money, steps: count, scopes: z.array(z.enum(scopeKinds)) }),
  outcome: z.strictObject({
    cost_rub: money,
    cache_discount_rub: money,
    estimated: z.boolean(),
    cancelled: z.boolean(),
    finish_reason: z.string().nullable(),
    model: z.string(),
    model_permaslug: z.string(),
    endpoint_id: z.string(),
    provider_name: z.string(),
    tokens_prompt: count,
    tokens_completion: count,
    native_tokens_reasoning: count.nullable(),
    native_tokens_cached: count.nullable(),
    num_search_results: count.nullable(),
    latency_ms: count.nullable(),
    generation_time_ms: count.nullable(),
  }),
});

export function encodeSettlement({ generationId, payer, hold, outcome }: Settlement): string {
  const message: z.input<typeof settlementMessage> = {
    v: 1,
    generation_id: generationId,
    payer: {
      account_id: payer.accountId,
      workspace_id: payer.workspaceId,
      ...(payer.memberId === undefined ? {} : { member_id: payer.memberId }),
      key_hash: payer.keyHash,
    },
    hold: { amount_rub: hold.amount.toString(), steps: hold.steps, scopes: hold.scopes },
    outcome: {
      cost_rub: outcome.cost.toString(),
      cache_discount_rub: outcome.cacheDiscount.toString(),
      estimated: outcome.estimated,
      cancelled: outcome.cancelled,
      finish_reason: outcome.finishReason,
      model: outcome.model,
      model_permaslug: outcome.modelPermaslug,
      endpoint_id: outcome.endpointId,
      provider_name: outcome.providerName,
      tokens_prompt: outcome.promptTokens,
      tokens_completion: outcome.completionTokens,
      native_tokens_reasoning: outcome.reasoningTokens,
      native_tokens_cached: outcome.cachedTokens,
      num_search_results: outcome.searchResults,
      latency_ms: outcome.latencyMs,
      generation_time_ms: outcome.generationTimeMs,
    },
  };
  return JSON.stringify(message);
}

/** @throws {Error} when the text is no settlement of a version we know. */
export function decodeSettlement(text: string): Settlement {
  const { generation_id, payer, hold, outcome } = settlementMessage.parse(JSON.parse(text));
  return {
    generationId: generation_id,
    payer: {
      accountId: payer.account_id,
      workspaceId: payer.workspace_id,
      memberId: payer.member_id,
      keyHash: payer.key_hash,
    },
    hold: { amount: hold.amount_rub, steps: hold.steps, scopes: hold.scopes },
    outcome: {
      cost: outcome.cost_rub,
      cacheDiscount: outcome.cache_discount_rub,
      estimated: outcome.estimated,
      cancelled: outcome.cancelled,
      finishReason: outcome.finish_reason,
      model: outcome.model,
      modelPermaslug: outcome.model_permaslug,
      endpointId: outcome.endpoint_id,
      providerName: outcome.provider_name,
      promptTokens: outcome.tokens_prompt,
      completionTokens: outcome.tokens_completion,
      reasoningTokens: outcome.native_tokens_reasoning,
      cachedTokens: outcome.native_tokens_cached,
      searchResults: outcome.num_search_results,
      latencyMs: outcome.latency_ms,
      generationTimeMs: outcome.generation_time_ms,
    },
  };
}
