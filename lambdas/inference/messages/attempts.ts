import {
  requestedCacheWrites,
  writesForAnHour,
  countedBound,
  measurePrompt,
  promptBound,
  textBound,
  type PromptContent,
} from '../../admission/prompt/prompt-size.ts';
import { withTokenizerMargin, countPromptTokens } from '../../admission/prompt/local-count.ts';
import { promptTexts } from '../../admission/prompt/prompt-texts.ts';
import { planSpending, type Quote, type SpendingPlan } from '../../admission/spending-plan.ts';
import { messagesFactsOf } from '../../catalog/wires.ts';
import { withinFreeTerms } from '../../admission/free/within-free-terms.ts';
import { fittingThinking } from '../../messages/fitting-thinking.ts';
import type { MessagesRequest } from '../../messages/types.ts';
import { positiveIntegerVariable, variables } from '../../platform/environment.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { countedSchema } from '../../providers/translated/counted-schema.ts';
import type { ClientHeaders } from '../../providers/wire.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { withDefaultParameters } from '../../routing/default-parameters.ts';
import { countUpstream } from '../../routing/count-tokens.ts';
import { leftOutFields, refuseWithoutLogprobs, tuningsOf, withoutFields } from '../../routing/left-out.ts';
import { refuseUnmadeMedia } from '../../routing/requested-media.ts';
import { reportPathsAsSent } from '../../messages/paths-as-sent.ts';
import type { InferenceInput } from '../inference-input.ts';
import { jobRequestOf } from '../protection-of.ts';
import type { Attempt } from './dispatch.ts';
import type { RoutedMessage } from './routed-message.ts';

/** A request before its hold, with its encoding and its maximum cost for each candidate. */
export interface Prepared {
  routed: Pick<
    RoutedMessage,
    'message' | 'content' | 'client' | 'origins' | 'leftOut' | 'requiresParameters' | 'onExcluded'
  >;
  attempts: Attempt[];
  /** Spending plan made from the upper bounds on the cost of the attempts. */
  plan: SpendingPlan;
}

const DEFAULT_STEP_TOKENS = 4_096;
/** Maximum time in ms for a provider to count a prompt. It is short, because the count delays the first token. */
const COUNT_TIMEOUT_MS = 5_000;

/**
 * Encodes a request for every candidate that can express it, and computes an upper bound on the cost at each candidate.
 * No network call is made. If the size in bytes does not bound the prompt's tokens, the model's context length does.
 * @throws {GatewayError} 400 if no candidate can express the request
 */
export function prepareAttempts(routed: Prepared['routed'], candidates: Candidate[]): Prepared {
  const attempts = reportPathsAsSent(routed.origins, () => encodeForEach(candidates, routed));
  const stepTokens = positiveIntegerVariable(variables.outputStepTokens, DEFAULT_STEP_TOKENS);
  const quotes = attempts.map(({ quote }) => quote);
  return { routed, attempts, plan: planSpending(quotes, stepTokens) };
}

/**
 * Returns a plan with the counted tokens of the prompt, usually far fewer than the bound by bytes. The count is made
 * only before a request would be refused.
 * @returns undefined if the prompt cannot be counted for any candidate
 */
export async function countedPlan(
  prepared: Prepared,
  input: Pick<InferenceInput<unknown>, 'caller' | 'clientLeft'>,
): Promise<SpendingPlan | undefined> {
  const { routed, attempts, plan } = prepared;
  const { client, content } = routed;
  const quotes = await Promise.all(
    attempts.map(async ({ candidate, message }, index) => {
      const quote = plan.quotes[index]!;
      const counted = await countUpstream(candidate, message, client, { timeoutMs: COUNT_TIMEOUT_MS }).catch(
        () => undefined,
      );
      if (counted !== undefined) return withPromptBound(quote, countedBound(counted, content, candidate.endpoint));
      const estimated = content.unbounded
        ? undefined
        : await countWithOwnTokenizer({ candidate, message }, content, input);
      return estimated === undefined ? quote : withPromptBound(quote, estimated);
    }),
  );
  const isSame = quotes.every((quote, index) => quote === plan.quotes[index]);
  return isSame ? undefined : planSpending(quotes, plan.stepTokens);
}

/**
 * Returns the attempts with the upper bounds of the plan for which the hold was placed.
 * @param isShorter whether the plan allows only shorter answers than requested
 */
export function attemptsHeldFor({ routed, attempts }: Prepared, plan: SpendingPlan, isShorter: boolean): Attempt[] {
  return attempts.map((attempt, index) => {
    const quote = plan.quotes[index]!;
    return isShorter ? shorterAttempt(attempt, quote, routed.client) : { ...attempt, quote };
  });
}

function shorterAttempt(attempt: Attempt, quote: Quote, client: ClientHeaders): Attempt {
  const { candidate, message } = attempt;
  const maxTokens = quote.bound.outputTokens - quote.beyondMaxTokens;
  const shorter = { ...message, max_tokens: maxTokens, ...fittingThinking(message, maxTokens) };
  return { ...attempt, quote, message: shorter, encode: encoding(candidate, shorter, client) };
}

/** Returns a function that encodes the request again at each call, so that no body stays in memory. */
function encoding({ wire, target }: Candidate, message: MessagesRequest, client: ClientHeaders): Attempt['encode'] {
  return () => wire.encode(message, target, client);
}

/**
 * Wraps an encoded request that stays in memory as a function. Closures in one scope share their variables. It is
 * therefore separate from `encoding`, whose closures would otherwise keep the body in memory.
 */
function keeping(encoded: ReturnType<Attempt['encode']>): Attempt['encode'] {
  return () => encoded;
}

/**
 * Returns the same attempt with another message and without its open connection.
 * @throws {GatewayError} 400 if the candidate cannot express the message
 */
export function withMessage(attempt: Attempt, message: MessagesRequest, client: ClientHeaders): Attempt {
  const { index, candidate, quote, encodeOther, hasHiddenReasoning, leftOut } = attempt;
  const encode = keeping(candidate.wire.encode(message, candidate.target, client));
  return { index, candidate, quote, message, encode, encodeOther, hasHiddenReasoning, leftOut };
}

/**
 * Returns the upper bound on an attempt's prompt tokens by the size in bytes; undefined if only the model's context
 * length bounds the prompt.
 */
export function boundByBytes({ candidate, message, encode }: Attempt): number | undefined {
  const { endpoint } = candidate;
  const bound = promptBound(measurePrompt(message), encode().body, endpoint);
  return bound < (endpoint.contextLength ?? Infinity) ? bound : undefined;
}

/**
 * Returns the upper bound on the cost of the answer's next request to the provider (round).
 * @param maxPromptTokens from the count of the previous round and the bytes added since
 */
export function quoteOfRound(attempt: Attempt, content: PromptContent, maxPromptTokens: number): Quote {
  return withPromptBound(attemptQuote(attempt, attempt.encode().body, content), maxPromptTokens);
}

function encodeForEach(
  candidates: Candidate[],
  { message: requested, client, content, leftOut, requiresParameters, onExcluded }: Prepared['routed'],
): Attempt[] {
  const attempts: Attempt[] = [];
  let refusal: unknown;
  for (const candidate of candidates) {
    if (candidate.isOnlyFirst && attempts.some((attempt) => attempt.candidate.model === candidate.model)) {
      onExcluded?.(candidate, 'no_fallbacks');
      continue;
    }
    try {
      const takes = { wire: candidate.endpoint.wire, supportedParameters: candidate.target.supportedParameters };
      refuseWithoutLogprobs(requested, takes);
      refuseUnmadeMedia(requested, candidate.endpoint);
      const unlisted = leftOutFields(tuningsOf(requested), takes);
      const unsupported = unsupportedTunings(candidate, withoutFields(requested, unlisted));
      if (requiresParameters && unsupported.length > 0) throw unsupportedTuning(unsupported[0]!);
      const unsent = [...unlisted, ...unsupported];
      const withDefaults = withDefaultParameters(withoutFields(requested, unsent), candidate.model, client);
      const message = withinFreeTerms(withDefaults, candidate.model, content);
      const encode = encoding(candidate, message, client);
      const encoded = encode();
      const quote = attemptQuote({ candidate, message }, encoded.body, content);
      attempts.push({
        index: attempts.length,
        candidate,
        quote,
        message,
        encode: attempts.length === 0 ? keeping(encoded) : encode,
        encodeOther: (other) => candidate.wire.encode(other, candidate.target, client),
        hasHiddenReasoning: quote.hiddenReasoningTokens > 0,
        leftOut: [...leftOut, ...unsent],
      });
    } catch (error) {
      // Another endpoint may have a format (wire) that can express the request.
      refusal ??= error;
      onExcluded?.(candidate, 'request_not_supported', error);
    }
  }
  if (attempts.length === 0) throw refusal;
  return attempts;
}

function unsupportedTunings({ wire, target }: Candidate, message: MessagesRequest): readonly string[] {
  return wire.unsupportedTunings?.(message, target) ?? [];
}

function unsupportedTuning(name: string): Error {
  return invalidRequest(name, 'does not work on this model with the rest of the request; leave it out');
}

function attemptQuote(
  { candidate, message }: Pick<Attempt, 'candidate' | 'message'>,
  body: string,
  content: PromptContent,
): Quote {
  const {
    endpoint,
    held: { pricing },
  } = candidate;
  const requested = requestedCacheWrites(body);
  const isImplicit = requested === 'none' && messagesFactsOf(endpoint.wire).implicitCaching(endpoint.quirks);
  const bound = {
    promptTokens: promptBound(content, body, endpoint),
    outputTokens: maxOutputTokens(candidate, message),
    cacheWrites: isImplicit ? ('5m' as const) : requested,
    writesForAnHour: writesForAnHour(body),
    pricedImages: pricing.image ? content.images : 0,
    songs: pricing.song ? 1 : 0,
    searchRequests: content.searchesFirst,
  };
  const unseen = {
    hiddenReasoningTokens: hiddenReasoningTokens(candidate, message),
    beyondMaxTokens: beyondMaxTokens(candidate),
  };
  return { pricing, bound, ...unseen };
}

/** Returns the upper bound on the tokens that an endpoint may write, including thinking. */
function maxOutputTokens(candidate: Candidate, { max_tokens: requested }: MessagesRequest): number {
  const ceiling = outputCeiling(candidate);
  const { min_output_tokens: least = 0 } = candidate.endpoint.quirks;
  return Math.max(Math.min(requested ?? ceiling, ceiling), least) + beyondMaxTokens(candidate);
}

function beyondMaxTokens(candidate: Candidate): number {
  const { reasoning_beyond_max_tokens: isBeyond, max_thinking_budget: most = 0 } = candidate.endpoint.quirks;
  return isBeyond ? Math.max(outputCeiling(candidate), most) : 0;
}

function outputCeiling({ endpoint }: Candidate): number {
  return endpoint.maxOutputTokens ?? endpoint.contextLength ?? 0;
}

function hiddenReasoningTokens(candidate: Candidate, message: MessagesRequest): number {
  return candidate.wire.hiddenReasoning(message, candidate.target, maxOutputTokens(candidate, message));
}

/**
 * Counts the prompt with the gateway's own tokenizer, if the provider does not count it. Adds a margin, because model
 * families tokenize differently.
 */
async function countWithOwnTokenizer(
  { candidate: { target, endpoint }, message }: Pick<Attempt, 'candidate' | 'message'>,
  content: PromptContent,
  input: Pick<InferenceInput<unknown>, 'caller' | 'clientLeft'>,
): Promise<number | undefined> {
  const { quirks } = target;
  const { tokenizer } = quirks;
  const texts = promptTexts(message, tokenizer, (schema) => countedSchema(schema, quirks));
  const tokens = await countPromptTokens(texts, tokenizer, jobRequestOf(input));
  if (tokens === undefined) return undefined;
  return textBound(withTokenizerMargin(tokens, tokenizer), content, endpoint);
}

function withPromptBound(quote: Quote, promptTokens: number): Quote {
  const tokens = Math.min(quote.bound.promptTokens, promptTokens);
  return { ...quote, bound: { ...quote.bound, promptTokens: tokens } };
}
