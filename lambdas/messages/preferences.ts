/**
 * How a request wants to be routed: the preference object of the public convention, with prices in roubles. Its fields are
 * the gateway's own: none of them goes to a provider.
 */

import * as z from 'zod';
import { Money } from '../money/money.ts';
import { isRawNumber } from '../platform/exact-json.ts';
import { optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import type { PromptPlugins } from './plugins.ts';
import type { MessagesRequest } from './types.ts';

/** More providers than any catalog has endpoints of one model. */
const MAX_NAMES = 64;
const MAX_NAME_CHARACTERS = 200;

const quantizations = [
  'int4',
  'int8',
  'fp4',
  'mxfp4',
  'nvfp4',
  'fp6',
  'fp8',
  'mxfp8',
  'fp16',
  'bf16',
  'fp32',
  'unknown',
] as const;

const names = optionalField(boundedList(z.string().min(1).max(MAX_NAME_CHARACTERS), { max: MAX_NAMES }));

const SORTS = 'must be "price", "throughput" or "latency": nothing else is measured here';
const sortBy = z.enum(['price', 'throughput', 'latency'], { error: SORTS });
export type SortBy = z.infer<typeof sortBy>;

const sort = z.union(
  [sortBy, z.strictObject({ by: sortBy, partition: optionalField(z.enum(['model', 'none'])) })],
  `${SORTS}; or an object with "by" and "partition" ("model" or "none")`,
);

const positive = z.number().positive();
const cutoff = z.union(
  [
    positive,
    z.strictObject({
      p50: optionalField(positive),
      p75: optionalField(positive),
      p90: optionalField(positive),
      p99: optionalField(positive),
    }),
  ],
  'must be a positive number, or an object with p50, p75, p90 or p99',
);

const AMOUNT_RULE = 'must be an amount of roubles, as a number or as decimal text';
const MAX_AMOUNT = Money.parse('1000000000000000');

/** Roubles; numbers keep the digits that the client wrote. */
const roubles = z
  .custom<string | number>(
    (value) => typeof value === 'string' || typeof value === 'number' || isRawNumber(value),
    AMOUNT_RULE,
  )
  .meta({ override: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'string' }] } })
  .transform((value, context) => {
    try {
      const amount = Money.parseNumber(isRawNumber(value) ? value.rawJSON : String(value));
      if (!amount.isNegative && !amount.exceeds(MAX_AMOUNT)) return amount;
    } catch {
      // Refused below.
    }
    context.addIssue({ code: 'custom', message: AMOUNT_RULE });
    return z.NEVER;
  });

/** For a million tokens, a request, or an image. No model of the catalog has a price of its own for audio. */
const maxPrice = z.strictObject({
  prompt: optionalField(roubles),
  completion: optionalField(roubles),
  request: optionalField(roubles),
  image: optionalField(roubles),
  audio: optionalField(roubles),
});

export const providerPreferences = z.strictObject({
  order: names,
  only: names,
  ignore: names,
  allow_fallbacks: optionalField(z.boolean()),
  require_parameters: optionalField(z.boolean()),
  data_collection: optionalField(z.enum(['allow', 'deny'])),
  zdr: optionalField(z.boolean()),
  enforce_distillable_text: optionalField(z.boolean()),
  quantizations: optionalField(boundedList(z.enum(quantizations), { max: quantizations.length })),
  sort: optionalField(sort),
  preferred_min_throughput: optionalField(cutoff),
  preferred_max_latency: optionalField(cutoff),
  max_price: optionalField(maxPrice),
});
export type ProviderPreferences = z.output<typeof providerPreferences>;

/** Other models that may answer, in the order in which they are tried. */
const MAX_OTHER_MODELS = 3;
export const otherModels = optionalField(
  boundedList(z.string().min(1).max(MAX_NAME_CHARACTERS), { max: MAX_OTHER_MODELS }),
);

/** A client's own name for the conversation that a request belongs to. */
const MAX_SESSION_CHARACTERS = 256;
export const sessionId = optionalField(z.string().max(MAX_SESSION_CHARACTERS)).meta({
  description:
    'Your name for the conversation: its turns stay at the endpoint that has their prompt in its cache. The header `x-session-id` says the same.',
});

/** A request as a client sends it: with how it wants to be routed and changed, which no provider is told. */
export interface RoutedRequest extends MessagesRequest, PromptPlugins {
  provider?: ProviderPreferences;
  models?: string[];
  /** The client's own name for the conversation that the request belongs to. */
  session_id?: string;
  /** Caches of the prompt are asked for where the request itself asks for none. */
  cache?: 'auto';
}

/** The request as providers may get it: without what only the gateway reads. */
export function withoutRouting(request: RoutedRequest): MessagesRequest {
  const {
    provider: _provider,
    models: _models,
    plugins: _plugins,
    transforms: _transforms,
    session_id: _session,
    cache: _cache,
    ...message
  } = request;
  return message;
}
