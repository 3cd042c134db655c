import fc, { type Arbitrary } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventBytes } from '../../lambdas/accounting/event-bytes.ts';
import { priceUpperBound, priceUsage } from '../../lambdas/accounting/price.ts';
import type { TokenUsage } from '../../lambdas/accounting/usage.ts';
import { measurePrompt } from '../../lambdas/admission/prompt/prompt-size.ts';
import { firstStep, type Quote } from '../../lambdas/admission/spending-plan.ts';
import { prepareAttempts } from '../../lambdas/inference/messages/attempts.ts';
import type { Pricing } from '../../lambdas/catalog/schema.ts';
import { messagesWires, type MessagesWireName } from '../../lambdas/catalog/wires.ts';
import { withoutRouting } from '../../lambdas/messages/preferences.ts';
import { messagesRequestSchema } from '../../lambdas/messages/schema.ts';
import type { MessagesEvent, MessagesRequest } from '../../lambdas/messages/types.ts';
import { Money } from '../../lambdas/money/money.ts';
import { GatewayError } from '../../lambdas/platform/errors.ts';
import { DocumentNames } from '../../lambdas/providers/bedrock-converse/media.ts';
import { messagesWire } from '../../lambdas/providers/wires.ts';
import type { Candidate } from '../../lambdas/routing/candidates.ts';
import { repeated } from '../support/long-runs.ts';
import { generatedPrompt, type GeneratedPrompt } from '../support/prompt-arbitrary.ts';

/**
 * The tests simulate a provider that reports up to the highest possible usage: a token for each byte of text, the
 * maximum for each image, all requested caches, and thinking up to max_tokens.
 */
const price = fc.bigInt(0n, 10n ** 10n).map((pico) => Money.fromPico(pico));
const maybe = (value: Arbitrary<Money>) => fc.option(value, { nil: undefined });
const prices = {
  prompt: price,
  completion: price,
  input_cache_read: maybe(price),
  input_cache_write: maybe(price),
  input_cache_write_1h: maybe(price),
};
const pricing: Arbitrary<Pricing> = fc.record({
  ...prices,
  image: maybe(price),
  request: maybe(price),
  overrides: fc.option(
    fc.array(fc.record({ ...prices, min_prompt_tokens: fc.integer({ min: 1, max: 4_000 }) }), {
      minLength: 1,
      maxLength: 2,
    }),
    { nil: undefined },
  ),
});

interface Endpoint {
  wire: MessagesWireName;
  pricing: Pricing;
  contextLength: number;
  maxOutputTokens: number;
  hidden: boolean;
  thinksByDefault: boolean;
  maxImageTokens: number;
}

const endpoint: Arbitrary<Endpoint> = fc.record({
  wire: fc.constantFrom(...messagesWires),
  pricing,
  contextLength: fc.constantFrom(8_000, 200_000),
  maxOutputTokens: fc.constantFrom(4_000, 32_000),
  hidden: fc.boolean(),
  thinksByDefault: fc.boolean(),
  maxImageTokens: fc.constantFrom(1_600, 12_000),
});

function candidateOf(of: Endpoint): Candidate {
  const { wire, contextLength, maxOutputTokens } = of;
  const quirks = {
    max_image_tokens: of.maxImageTokens,
    pdf_files: true,
    audio_files: true,
    hidden_reasoning: of.hidden,
    thinks_by_default: of.thinksByDefault,
    ...(wire === 'bedrock-converse' ? { family: 'claude' } : {}),
  };
  return {
    model: { id: 'test/model', endpoints: [], data: {} },
    endpoint: { wire, contextLength, maxOutputTokens, quirks, pricing: of.pricing },
    pricing: of.pricing,
    held: { pricing: of.pricing, serviceCost: undefined },
    wire: messagesWire(wire)!,
    target: { providerId: 'test', upstreamModel: 'm', maxOutputTokens, supportedParameters: ['tools'], quirks },
    credential: undefined,
  } as unknown as Candidate;
}

/** Maximum number of a text's tokens: its bytes, or its bytes in Unicode form NFKC if that form is longer. */
const bytesOf = (text: string) => Math.max(Buffer.byteLength(text), Buffer.byteLength(text.normalize('NFKC')));
const escapedBytes = (value: unknown) => JSON.stringify(value).replace(/[^\x20-\x7e]/g, '\\u0000').length;

const MEDIA = new Set(['data', 'url']);

/** Tokens of the texts that a model reads, with escapes in the JSON of calls and tools. */
function wordTokens(value: unknown, wire: Endpoint['wire']): number {
  if (typeof value === 'string') return bytesOf(value);
  if (Array.isArray(value)) return value.reduce((sum: number, inner) => sum + wordTokens(inner, wire), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const { type } = value as { type?: string };
  // Thinking that Anthropic signed is sent only to its models, on Anthropic and on Converse.
  if (type === 'thinking' && wire !== 'anthropic' && wire !== 'bedrock-converse') return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => {
    const isMedia = type === 'base64' && MEDIA.has(name);
    if (isMedia || name === 'cache_control' || name === 'signature') return sum;
    if (name === 'input') return sum + escapedBytes(inner);
    // Converse accepts only plain names of documents, so most of a title is not sent.
    const isName = wire === 'bedrock-converse' && type === 'document' && name === 'title';
    if (isName) return sum + bytesOf(new DocumentNames().nameOf(inner));
    return sum + wordTokens(inner, wire);
  }, 0);
}

function typedToolTokens(type: unknown): number {
  if (typeof type !== 'string') return 0;
  if (type.includes('toolset')) return 6_670;
  return { bash: 325, text_editor: 700, computer: 735 + 499, memory: 800 }[type.replace(/_\d+$/, '')] ?? 0;
}

function promptTokensOf({ body, images, opaque }: GeneratedPrompt, of: Endpoint, share: number): number {
  const { messages, system, tools = [] } = body as unknown as MessagesRequest;
  const added = messages.length * 8 + (tools.length > 0 ? 804 : 0);
  const known =
    wordTokens(messages, of.wire) +
    wordTokens(system, of.wire) +
    escapedBytes(tools) +
    tools.reduce((sum, { type }) => sum + typedToolTokens(type), 0) +
    images * of.maxImageTokens;
  return Math.min(of.contextLength, Math.ceil((known + added) * share) + (opaque > 0 ? of.contextLength : 0));
}

/** Returns the caches that a body requests. The OpenAI wires write 5-minute caches without a request. */
function writesOf(body: string, { wire }: Endpoint): 'none' | '5m' | '1h' {
  if (wire === 'openai-chat' || wire === 'openai-responses') return '5m';
  if (!/"cache_control":|"cachePoint":/.test(body)) return 'none';
  return body.includes('"ttl":"1h"') ? '1h' : '5m';
}

/**
 * Divides a prompt into cache reads, cache writes and uncached tokens.
 * @param split share of the prompt that is read from a cache, and share of the rest that is written to a cache
 */
function promptUsage(
  prompt: number,
  writes: 'none' | '5m' | '1h',
  pricedImages: number,
  split: [number, number],
): TokenUsage {
  const read = Math.floor(prompt * split[0]);
  const rest = prompt - read;
  const written = writes === 'none' ? 0 : Math.floor(rest * split[1]);
  return {
    inputTokens: rest - written,
    outputTokens: 0,
    cacheReadTokens: read,
    ...(writes === '1h' ? { cacheWrite1hTokens: written } : { cacheWrite5mTokens: written }),
    pricedImages,
  };
}

const answerEvent: Arbitrary<MessagesEvent> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text): MessagesEvent => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  })),
  fc.string({ minLength: 1, maxLength: 20 }).map((name): MessagesEvent => ({
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'toolu_1', name, input: {} },
  })),
);

/** Returns the tokens of an event: one for each byte, and 60 for the frame of a call. */
function shownTokens(event: MessagesEvent): number {
  if (event.type === 'content_block_delta') return Buffer.byteLength((event.delta as { text: string }).text);
  return event.type === 'content_block_start' ? 60 + Buffer.byteLength(event.content_block['name'] as string) : 0;
}

const client = { anthropicVersion: '2023-06-01', anthropicBeta: undefined };

const routedAs = (message: MessagesRequest) => ({
  message,
  content: measurePrompt(message),
  client,
  origins: undefined,
  leftOut: [],
  requiresParameters: false,
  onExcluded: undefined,
});

function preparedUnlessRefused(...asked: Parameters<typeof prepareAttempts>) {
  try {
    return prepareAttempts(...asked);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return undefined;
  }
}

describe('the charge of a request', () => {
  it('is never more than its hold, for any content and any endpoint', async () => {
    let asked = 0;
    let refused = 0;
    const runs = repeated(20_000, { ofWhichAlways: 2_000 });
    await fc.assert(
      fc.asyncProperty(
        generatedPrompt,
        endpoint,
        fc.double({ min: 0.1, max: 1, noNaN: true }),
        fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
        fc.array(answerEvent, { maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (prompt, of, share, split, answer, thought) => {
          asked += 1;
          const candidate = candidateOf(of);
          const parsed = messagesRequestSchema.safeParse(prompt.body);
          // A conversation without any text is refused before it reaches a wire.
          if (!parsed.success) {
            refused += 1;
            return;
          }
          const request = withoutRouting(parsed.data);
          const prepared = preparedUnlessRefused(routedAs(request), [candidate]);
          // A request that the wire cannot express is refused, and costs nothing.
          if (!prepared) {
            refused += 1;
            return;
          }
          const { amount, quotes, stepTokens } = prepared.plan;
          const [quote] = quotes as [Quote];
          const images = of.pricing.image ? prompt.images : 0;
          const usage = promptUsage(
            promptTokensOf(prompt, of, share),
            writesOf(prepared.attempts[0]!.encode().body, of),
            images,
            split,
          );
          const longest = quote.bound.outputTokens;
          const writtenBytes = answer.reduce((sum, event) => sum + eventBytes(event), 0);
          const shown = answer.reduce((sum, event) => sum + shownTokens(event), 0);
          const hidden = Math.floor(thought * quote.hiddenReasoningTokens);
          const outputTokens = Math.min(longest, shown + hidden);
          const billed = priceUsage({ ...usage, outputTokens }, of.pricing).total;

          // The hold is extended before more bytes arrive than it pays for.
          const covered = Math.max(
            firstStep(quote, stepTokens),
            Math.min(longest, writtenBytes + quote.hiddenReasoningTokens),
          );
          const held = priceUpperBound({ ...quote.bound, outputTokens: covered }, of.pricing);
          expect(amount.exceeds(held)).toBe(false);
          if (billed.exceeds(held)) throw new Error(`billed ${billed} of ${held} held`);
        },
      ),
      { numRuns: runs },
    );
    // The test is only meaningful if many of the generated requests are sent.
    expect((asked - refused) / runs).toBeGreaterThan(0.35);
  });
});
