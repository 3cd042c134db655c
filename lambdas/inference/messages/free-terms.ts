/** What the terms of a free model make of a request. */

import { priceUpperBound } from '../../accounting/price.ts';
import { networkHash } from '../../admission/free/client-network.ts';
import type { FreeModel, FreeUse } from '../../admission/free/free-tier.ts';
import { fundingOf } from '../../admission/free/funding.ts';
import type { InferenceCaller } from '../../admission/caller.ts';
import type { PromptContent } from '../../admission/prompt/prompt-size.ts';
import type { SpendingPlan } from '../../admission/spending-plan.ts';
import type { Model } from '../../catalog/catalog.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import { utcDate } from '../../money/periods.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { readPepper } from '../../platform/secrets.ts';
import { resources } from '../../resources.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { fittingThinking } from './fitting-thinking.ts';

/**
 * The request as a free model gets it: with an answer that its terms allow.
 * @throws {GatewayError} 400 for a prompt that they do not allow
 */
export function withinFreeTerms(message: MessagesRequest, model: Model, content: PromptContent): MessagesRequest {
  const terms = model.data.service_free;
  if (!terms) return message;
  const { input_token_limit: maxInput, output_token_limit: maxAnswer } = terms;
  if (content.maySearch) {
    throw invalidRequest('model', `"${model.id}" does not search the web; use the model without ":free"`);
  }
  if (content.unbounded) {
    throw invalidRequest(
      'messages',
      `"${model.id}" takes no documents or files whose tokens nobody can bound; send text`,
    );
  }
  if (content.estimatedTokens > maxInput) {
    throw invalidRequest(
      'messages',
      `"${model.id}" takes at most ${maxInput} tokens, and this prompt has about ${content.estimatedTokens}; shorten it, or use the model without ":free"`,
      { input_token_limit: maxInput, estimated_tokens: content.estimatedTokens },
    );
  }
  const maxTokens = Math.min(message.max_tokens ?? maxAnswer, maxAnswer);
  return { ...message, max_tokens: maxTokens, ...fittingThinking(message, maxTokens) };
}

/** The part of a request that free models may answer; undefined where none may. */
export async function freeUseOf(
  candidates: readonly Candidate[],
  plan: SpendingPlan,
  { caller, clientAddress, atMs }: { caller: InferenceCaller; clientAddress: string; atMs: number },
): Promise<FreeUse | undefined> {
  const free = freeModels(candidates, plan);
  if (free.length === 0) return undefined;
  const isFunded = await fundingOf(
    resources.table(),
    caller.account,
    free.map(({ terms }) => terms),
  );
  const models = free.map((model) => ({ ...model, isFunded: isFunded(model.terms) }));
  const isCountedByAddress = models.some((model) => !model.isFunded);
  const hash = isCountedByAddress ? networkHash(await readPepper(), clientAddress, utcDate(atMs)) : undefined;
  return { accountId: caller.account.id, networkHash: hash, models, atMs };
}

/** Each free model once, with the most that any of its endpoints may cost the service. */
function freeModels(candidates: readonly Candidate[], { quotes }: SpendingPlan): Omit<FreeModel, 'isFunded'>[] {
  const models = new Map<string, Omit<FreeModel, 'isFunded'>>();
  for (const [index, { model, endpoint }] of candidates.entries()) {
    const terms = model.data.service_free;
    if (!terms || !endpoint.serviceCost) continue;
    const amount = priceUpperBound(quotes[index]!.bound, endpoint.serviceCost);
    const known = models.get(model.id)?.amount ?? Money.zero;
    models.set(model.id, { id: model.id, terms, amount: Money.max(known, amount) });
  }
  return [...models.values()];
}
