/** The `provider` object of OpenRouter's API, with prices in roubles. No provider gets these fields. */

import * as z from 'zod';
import { MAX_AMOUNT } from '../money/bounds.ts';
import { Money } from '../money/money.ts';
import { isRawNumber } from '../platform/json/exact-json.ts';
import { optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import type { PromptPlugins } from './plugins.ts';
import type { MessagesRequest } from './types.ts';

const MAX_NAMES = 64;
const MAX_PREFERENCE_CHARACTERS = 200;

const quantizationPreferences = [
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

const endpointNameList = optionalField(
  boundedList(z.string().min(1).max(MAX_PREFERENCE_CHARACTERS), { max: MAX_NAMES }),
);

const SORTS = 'must be "price", "throughput" or "latency"';
const sortBy = z.enum(['price', 'throughput', 'latency'], { error: SORTS });
export type SortBy = z.infer<typeof sortBy>;

const sort = z.union(
  [
    sortBy,
    z.strictObject({
      by: sortBy.meta({ description: 'The value to sort by: `price`, `latency` or `throughput`.' }),
      partition: optionalField(z.enum(['model', 'none'])).meta({
        description:
          'With `none` the endpoints of all models of the request are sorted together; with `model` one model comes after the other.',
      }),
    }),
  ],
  `${SORTS}; or an object with "by" and "partition" ("model" or "none")`,
);

const positive = z.number().positive();
const cutoff = z.union(
  [
    positive,
    z.strictObject({
      p50: optionalField(positive).meta({
        description: 'The value for the median: half of the requests must have been at least as good as this.',
      }),
      p75: optionalField(positive).meta({
        description:
          'The value for the 75th percentile: three requests in four must have been at least as good as this.',
      }),
      p90: optionalField(positive).meta({
        description: 'The value for the 90th percentile: nine requests in ten must have been at least as good as this.',
      }),
      p99: optionalField(positive).meta({
        description: 'The value for the 99th percentile: 99 requests in 100 must have been at least as good as this.',
      }),
    }),
  ],
  'must be a positive number, or an object with p50, p75, p90 or p99',
);

const PRICE_AMOUNT_RULE = 'must be an amount of roubles, as a number or as decimal text';

/** An amount in roubles, with the digits that the client wrote. */
const roublesPreference = z
  .custom<string | number>(
    (value) => typeof value === 'string' || typeof value === 'number' || isRawNumber(value),
    PRICE_AMOUNT_RULE,
  )
  .meta({ override: { anyOf: [{ type: 'number', minimum: 0 }, { type: 'string' }] } })
  .transform((value, context) => {
    try {
      const amount = Money.parseNumber(isRawNumber(value) ? value.rawJSON : String(value));
      if (!amount.isNegative && !amount.exceeds(MAX_AMOUNT)) return amount;
    } catch {
      // The text is not an amount. The issue below reports this too.
    }
    context.addIssue({ code: 'custom', message: PRICE_AMOUNT_RULE });
    return z.NEVER;
  });

const maxPrice = z.strictObject({
  prompt: optionalField(roublesPreference).meta({
    description:
      'The highest price of a million tokens of the prompt, or of a million characters to speak, in roubles.',
  }),
  completion: optionalField(roublesPreference).meta({
    description:
      'The highest price of a million tokens of the answer, of every kind that the endpoint may write, in roubles.',
  }),
  request: optionalField(roublesPreference).meta({
    description:
      'The highest price of one request in addition to its tokens, in roubles: its fee, its song, and one search unit of a reranker.',
  }),
  image: optionalField(roublesPreference).meta({
    description:
      'The highest price of one image, in the prompt or drawn, in roubles. The most expensive kind of image counts. Tokens of images count as tokens.',
  }),
  audio: optionalField(roublesPreference).meta({
    description: 'The highest price of a million tokens of sound, or of one second of a recording, in roubles.',
  }),
});

export const providerPreferences = z.strictObject({
  order: endpointNameList.meta({
    description:
      'Endpoints to try first, in this order. Each is named by the id or name of its provider, by its tag such as `together/fp8`, or by its own id.',
  }),
  only: endpointNameList.meta({ description: 'Only these endpoints may answer; they are named as in `order`.' }),
  ignore: endpointNameList.meta({ description: 'These endpoints may not answer; they are named as in `order`.' }),
  allow_fallbacks: optionalField(z.boolean()).meta({
    description:
      'With false only the endpoints in `order` are tried; without `order`, only the first one that can take the request.',
  }),
  require_parameters: optionalField(z.boolean()).meta({
    description:
      'With true only models that support every parameter of the request are tried. Otherwise a model answers without sampling parameters that it does not list.',
  }),
  data_collection: optionalField(z.enum(['allow', 'deny'])).meta({
    description: 'With `deny` no endpoint is tried that keeps prompts or trains on them.',
  }),
  zdr: optionalField(z.boolean()).meta({
    description:
      'With true only endpoints with zero data retention are tried: those that `data_collection: deny` admits, and whose provider declares to keep prompts for zero days.',
  }),
  enforce_distillable_text: optionalField(z.boolean()).meta({
    description: 'With true only models are tried whose author allows training other models on their output.',
  }),
  quantizations: optionalField(
    boundedList(z.enum(quantizationPreferences), { max: quantizationPreferences.length }),
  ).meta({
    description:
      'Only endpoints are tried that store the weights of the model at one of these precisions; `unknown` stands for endpoints that do not publish theirs.',
  }),
  sort: optionalField(sort).meta({
    description: 'The value that the endpoints are sorted by, in place of the default order.',
  }),
  preferred_min_throughput: optionalField(cutoff).meta({
    description:
      'Endpoints that write fewer than this many tokens a second are tried later. A single number is compared with the median.',
  }),
  preferred_max_latency: optionalField(cutoff).meta({
    description:
      'Endpoints that take more than this many seconds to the first token are tried later. A single number is compared with the median.',
  }),
  max_price: optionalField(maxPrice).meta({
    description:
      'The highest prices that an endpoint may charge, in roubles, one field per unit. More expensive endpoints are not tried.',
  }),
});
export type ProviderPreferences = z.output<typeof providerPreferences>;

export const routingField = optionalField(providerPreferences).meta({
  description:
    'Preferences for routing: which endpoints (offers of the model by a provider) may answer, and in which order. Providers never see this field.',
});

const MAX_OTHER_MODELS = 3;
export const otherModels = optionalField(
  boundedList(z.string().min(1).max(MAX_PREFERENCE_CHARACTERS), { max: MAX_OTHER_MODELS }),
);

const MAX_SESSION_ID_CHARACTERS = 256;
export const sessionId = optionalField(z.string().max(MAX_SESSION_ID_CHARACTERS)).meta({
  description:
    'Your name for the conversation. Its requests go to the same endpoint as long as that works, so that the cache of the prompt there is read again. The header `x-session-id` does the same. The record has it as the tag `session`.',
});

/** A request with additional fields for the gateway, which no provider gets, except for a digest of the session. */
export interface RoutedRequest extends MessagesRequest, PromptPlugins {
  provider?: ProviderPreferences;
  models?: string[];
  session_id?: string;
  trace?: { trace_id?: string | null | undefined };
  /** With `auto`, the gateway adds cache breakpoints to a request that has none. */
  cache?: 'auto';
}

/** Removes the fields that only the gateway reads. */
export function withoutRouting(request: RoutedRequest): MessagesRequest {
  const {
    provider: _provider,
    models: _models,
    plugins: _plugins,
    transforms: _transforms,
    session_id: _session,
    trace: _trace,
    cache: _cache,
    ...message
  } = request;
  return message;
}
