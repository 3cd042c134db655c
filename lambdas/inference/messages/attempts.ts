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
import { mostBlocks } from '../../catalog/unit-lists.ts';
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

export interface Prepared {
  routed: Pick<
    RoutedMessage,
    'message' | 'content' | 'client' | 'origins' | 'leftOut' | 'requiresParameters' | 'onExcluded'
  >;
  attempts: Attempt[];
  plan: SpendingPlan;
}

const DEFAULT_STEP_TOKENS = 4_096;
/** Maximum time in ms for a provider's count, which delays the first token. */
const COUNT_TIMEOUT_MS = 5_000;

/**
 * Encodes a request for every candidate that can express it, and bounds its cost at each. Makes no network call.
 * @throws {GatewayError} the first refusal, if no candidate can express the request
 */
export function prepareAttempts(routed: Prepared['routed'], candidates: Candidate[]): Prepared {
  const attempts = reportPathsAsSent(routed.origins, () => encodeForEach(candidates, routed));
  const stepTokens = positiveIntegerVariable(variables.outputStepTokens, DEFAULT_STEP_TOKENS);
  const quotes = attempts.map(({ quote }) => quote);
  return { routed, attempts, plan: planSpending(quotes, stepTokens) };
}

/**
 * Returns a plan with the counted tokens of the prompt.
 * @returns undefined if the prompt can be counted for no candidate
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

/** Returns the attempts with the upper bounds of the placed hold's plan. */
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

/** Returns a function that encodes the request at each call, so that no body stays in memory. */
function encoding({ wire, target }: Candidate, message: MessagesRequest, client: ClientHeaders): Attempt['encode'] {
  return () => wire.encode(message, target, client);
}

/**
 * Returns a function that keeps the encoded request and returns it at each call. Separate from `encoding`, because
 * closures in one scope share their variables, and would keep the body in memory.
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

/** Upper bound on the prompt tokens by the size in bytes; undefined if only the context length bounds the prompt. */
export function boundByBytes({ candidate, message, encode }: Attempt): number | undefined {
  const { endpoint } = candidate;
  const bound = promptBound(measurePrompt(message), encode().body, endpoint);
  return bound < (endpoint.contextLength ?? Infinity) ? bound : undefined;
}

/** Returns the upper bound on the cost of the answer's next round. */
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
      const limited = withOutputLimit(withDefaults, candidate.endpoint, content);
      const message = withinFreeTerms(limited, candidate.model, content);
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
      // Continues after a refusal, because another endpoint may have a format (wire) that can express the request.
      refusal ??= error;
      onExcluded?.(candidate, 'request_not_supported', error);
    }
  }
  if (attempts.length === 0) throw refusal;
  return attempts;
}

/** Smallest default of `max_tokens`. The provider decides whether it fits into the context. */
const MIN_DEFAULT_TOKENS = 4_096;

/**
 * Adds a `max_tokens` that fits into the endpoint's context, if the wire needs one, the request has none, and the
 * endpoint's maximum may not fit. At Moonshot, prompt and `max_tokens` together must not exceed the context, and the
 * maximum of Kimi K2.6 is its whole context (https://platform.kimi.ai/docs/intro).
 */
function withOutputLimit(
  message: MessagesRequest,
  { wire, contextLength = Infinity, maxOutputTokens = Infinity }: Candidate['endpoint'],
  { estimatedTokens }: PromptContent,
): MessagesRequest {
  if (message.max_tokens !== undefined || !messagesFactsOf(wire).needsOutputLimit) return message;
  // Uses only half of the remaining context, because the prompt may have more tokens than estimated.
  const fitting = Math.max(Math.floor((contextLength - estimatedTokens) / 2), MIN_DEFAULT_TOKENS);
  return fitting < maxOutputTokens
    ? { ...message, max_tokens: fitting, ...fittingThinking(message, fitting) }
    : message;
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
    recordingTokens: content.recordingTokens,
    pricedImages: pricing.image ? content.images : 0,
    searchRequests: content.searchesFirst,
    ...mostBlocks,
  };
  const unseen = {
    hiddenReasoningTokens: hiddenReasoningTokens(candidate, message),
    beyondMaxTokens: beyondMaxTokens(candidate),
  };
  return { pricing, bound, ...unseen };
}

/** Upper bound on the tokens that an endpoint may write, including thinking. */
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

/** Counts the prompt with the gateway's own tokenizer and a margin, because model families tokenize differently. */
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
