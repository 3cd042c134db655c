import type { UsageBound } from '../../accounting/price.ts';
import {
  askedCacheWrites,
  countedBound,
  measurePrompt,
  promptBound,
  type PromptContent,
} from '../../admission/prompt-size.ts';
import { planSpending, type Quote, type SpendingPlan } from '../../admission/spending-plan.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { positiveIntegerVariable, variables } from '../../platform/environment.ts';
import { ProviderFailure } from '../../providers/failures.ts';
import type { ClientHeaders } from '../../providers/wire.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { countUpstream } from '../../routing/count-tokens.ts';
import type { Attempt } from '../../routing/dispatch.ts';

/** A request before its hold: how each candidate would get it, and what it may cost there. */
export interface Prepared {
  message: MessagesRequest;
  client: ClientHeaders;
  content: PromptContent;
  attempts: Attempt[];
  plan: SpendingPlan;
}

const DEFAULT_STEP_TOKENS = 4_096;
/** Nobody's first token may wait for a count much longer than for the hold itself. */
const COUNT_TIMEOUT_MS = 5_000;

/**
 * Encodes a request for every candidate that can express it, and bounds what it may cost at each.
 *
 * Cost: no round trip, except for prompts that their bytes do not bound: those are counted by the provider first, where
 * it can, and held at the model's whole context where it cannot.
 * @throws {GatewayError} 400 when no candidate can express it, or the provider that counts it refuses it.
 */
export async function prepareAttempts(
  candidates: Candidate[],
  message: MessagesRequest,
  client: ClientHeaders,
): Promise<Prepared> {
  const attempts = encodeForEach(candidates, message, client);
  const content = measurePrompt(message);
  const quotes = attempts.map((attempt) => quoteOf(attempt, message, content));
  const stepTokens = positiveIntegerVariable(variables.outputStepTokens, DEFAULT_STEP_TOKENS);
  const plan = planSpending(quotes, stepTokens);
  const prepared: Prepared = { message, client, content, attempts, plan };
  if (!content.unbounded) return prepared;
  return { ...prepared, plan: (await countedByProviders(prepared, { refuse: true })) ?? plan };
}

/**
 * The plan with the prompt counted, which is far less than its bytes: for the way to a refusal only.
 * @returns undefined when nobody can count it, or nothing would come of it
 */
export async function countedPlan(prepared: Prepared): Promise<SpendingPlan | undefined> {
  return prepared.content.unbounded ? undefined : countedByProviders(prepared, { refuse: false });
}

/** The attempts of a plan that allows shorter answers than were asked for. */
export function reencoded({ attempts, message, client }: Prepared, plan: SpendingPlan): Attempt[] {
  return attempts.map((attempt, index) => {
    const shorter = { ...message, max_tokens: plan.quotes[index]!.bound.outputTokens };
    const { candidate } = attempt;
    return { ...attempt, encoded: candidate.wire.encode(shorter, candidate.target, client) };
  });
}

function encodeForEach(candidates: Candidate[], message: MessagesRequest, client: ClientHeaders): Attempt[] {
  const attempts: Attempt[] = [];
  let refusal: unknown;
  for (const candidate of candidates) {
    try {
      const encoded = candidate.wire.encode(message, candidate.target, client);
      attempts.push({ candidate, encoded, thinksUnseen: hiddenTokens(candidate, message) > 0 });
    } catch (error) {
      // Another endpoint may speak a wire that can say it.
      refusal ??= error;
    }
  }
  if (attempts.length === 0) throw refusal;
  return attempts;
}

function quoteOf({ candidate, encoded }: Attempt, message: MessagesRequest, content: PromptContent): Quote {
  const { endpoint, pricing, wire } = candidate;
  const asked = askedCacheWrites(encoded.body);
  const bound: UsageBound = {
    promptTokens: promptBound(content, encoded.body, endpoint),
    outputTokens: maxOutputTokens(candidate, message),
    cacheWrites: asked === 'none' && wire.cachesUnasked ? '5m' : asked,
    pricedImages: pricing.image ? content.images : 0,
    searchRequests: 0,
  };
  return { pricing, bound, hiddenTokens: hiddenTokens(candidate, message) };
}

/** The most that an endpoint may write, thinking included. */
function maxOutputTokens({ endpoint }: Candidate, { max_tokens: asked }: MessagesRequest): number {
  const ceiling = endpoint.maxOutputTokens ?? endpoint.contextLength ?? 0;
  const said = Math.min(asked ?? ceiling, ceiling);
  return endpoint.quirks.reasoning_beyond_max_tokens ? said + ceiling : said;
}

function hiddenTokens(candidate: Candidate, message: MessagesRequest): number {
  return candidate.wire.hiddenOutput(message, candidate.target, maxOutputTokens(candidate, message));
}

/** @returns undefined when no count made a difference */
async function countedByProviders(
  { attempts, message, client, content, plan }: Prepared,
  { refuse }: { refuse: boolean },
): Promise<SpendingPlan | undefined> {
  const quotes = await Promise.all(
    attempts.map(async ({ candidate }, index) => {
      const quote = plan.quotes[index]!;
      const counted = await countUpstream(candidate, message, client, COUNT_TIMEOUT_MS).catch((error: unknown) => {
        // What the only provider does not even count, it would refuse as well: its words help more than a hold.
        const isRequestsFault = error instanceof ProviderFailure && !error.mayTryAnother;
        if (refuse && isRequestsFault && attempts.length === 1) throw error;
        return undefined;
      });
      if (counted === undefined) return quote;
      const promptTokens = Math.min(quote.bound.promptTokens, countedBound(counted, content, candidate.endpoint));
      return { ...quote, bound: { ...quote.bound, promptTokens } };
    }),
  );
  const isSame = quotes.every((quote, index) => quote === plan.quotes[index]);
  return isSame ? undefined : planSpending(quotes, plan.stepTokens);
}
