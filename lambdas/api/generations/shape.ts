import * as z from 'zod';
import { countShape, dataShape, nothing, refusedAmountsShape, rub, time, uuid } from '../../http/shapes.ts';
import { apiTypes, wholeApiTypes } from '../../catalog/wires.ts';
import { meters } from '../../catalog/unit-lists.ts';
import { endings, MAX_LEFT_OUT } from '../../store/generations/outcome.ts';
import { requestStatuses } from '../../store/generations/request-history.ts';
import { modelPermaslug } from '../parts/shape.ts';

const wholeKinds = new Intl.ListFormat('en').format(wholeApiTypes);
const apiTypeText = `The kind of request: \`completions\` for messages, chat completions and responses, ${wholeApiTypes.map((kind) => `\`${kind}\``).join(', ')}, or \`video\`.`;
const finishReasonText = `Why the answer ended: for messages, chat completions and responses a \`stop_reason\` of the Messages API, such as \`end_turn\` or \`max_tokens\`; for ${wholeKinds} \`stop\`; for videos \`completed\` or \`cancelled\`; \`error\` if there is no answer. Null if that is not known.`;
const generationTimeText = `Milliseconds from the first event of the answer to its end; for a video, from the start of its job to its end. Null for an answer that is not streamed.`;

const tagsShape = z.record(z.string(), z.string()).meta({
  description:
    'The tags of the request, values by names: the tags of its key at that time, the tags that the request stated, and `user`, `session` and `trace` from its fields and headers. Empty without tags, and for refused requests.',
});

const attemptShape = z.strictObject({
  endpoint_id: z
    .string()
    .meta({ description: 'The id of the endpoint (one provider’s offer of the model) that got this attempt.' }),
  model_permaslug: modelPermaslug,
  provider_name: z.string().meta({ description: 'The name of the provider that got the request.' }),
  status: countShape
    .nullable()
    .meta({ description: "The HTTP status of the provider's answer; null without an answer." }),
  failure: z.string().nullable().meta({
    description:
      'What went wrong, in one word: the `error_type` that the provider’s status stands for, such as `provider_overloaded`; why there was no answer, such as `first_byte_timeout`; or the code of the system, such as `ENOTFOUND` or `CERT_HAS_EXPIRED`. Null if nothing did, or if that is not known.',
  }),
  latency: countShape
    .optional()
    .meta({ description: 'Milliseconds from the request to the first event of this attempt, or to its failure.' }),
  is_byok: z.literal(false),
  total_cost: rub.meta({ description: 'The price of this attempt in roubles; failed attempts cost nothing.' }),
});

const hash = z.string().meta({ description: 'One node of the tree: a SHA-256 in hexadecimal.' });

const sealShape = z
  .strictObject({
    date: z.iso.date().meta({ description: 'The UTC day whose signed statement contains the lines.' }),
    statement_sha256: hash.meta({ description: 'The SHA-256 of the signed statement of that day, in hexadecimal.' }),
    root: hash.meta({
      description:
        'The root of the Merkle tree (RFC 6962) of all lines of that day, in hexadecimal; the signed statement contains it.',
    }),
    leaf_count: countShape.meta({
      description: 'The number of leaves of the tree, which is that of the lines of the day.',
    }),
    lines: z
      .array(
        z.strictObject({
          line: z.string().nullable().meta({
            description:
              'The text of the sealed line, made from the record of the request as it is now. It is null if that text has another hash than `leaf`: the cost was not final when the day was sealed, it was corrected later, or the record was altered.',
          }),
          leaf: hash.meta({
            description: 'The leaf of the tree: the SHA-256 of a byte 0 followed by the line, in hexadecimal.',
          }),
          index: countShape.meta({ description: 'The position of the leaf in the tree, counted from 0.' }),
          path: z.array(hash).meta({
            description:
              'The audit path (RFC 6962): the hashes that, combined with the leaf one after the other, give the root. It proves that the line is in the tree.',
          }),
        }),
      )
      .meta({ description: 'The lines of the generation: one for each request to a provider.' }),
  })
  .meta({ id: 'Seal' });

const generationShape = z
  .strictObject({
    id: z
      .string()
      .meta({ description: 'The id of the generation, as in the answer and in the header `x-generation-id`.' }),
    total_cost: rub.meta({ description: 'The price of the request in roubles, exact.' }),
    usage: rub.meta({ description: 'The same as `total_cost`, under the other name that clients read.' }),
    currency: z.literal('RUB'),
    cache_discount: rub.meta({
      description:
        'The roubles that reading a cached prompt saved, less what writing the cache cost; negative if writing cost more.',
    }),
    created_at: time.meta({ description: 'The time at which the request came in.' }),
    model: z.string().meta({ description: 'The id of the model that answered.' }),
    model_permaslug: modelPermaslug,
    endpoint_id: z
      .string()
      .meta({ description: 'The id of the endpoint (one provider’s offer of the model) that got the request.' }),
    streamed: z.boolean().meta({ description: 'Whether the request was for a stream.' }),
    left_out: z.array(z.string()).max(MAX_LEFT_OUT).meta({
      description:
        'The names of the request’s fields that the provider did not get, because its endpoint does not accept them. The header `x-gateway-left-out` of the answer has the same names. Empty if there were none, or if that is not known.',
    }),
    cancelled: z.boolean().meta({
      description:
        'Whether the answer ended before its own end: the client left, the time was up, or the provider broke off after it had written something.',
    }),
    estimated: z
      .boolean()
      .meta({ description: 'Whether the gateway counted the usage, because the provider did not report it.' }),
    capped: z.boolean().meta({
      description:
        'Whether the charge was capped: the provider reported more than the request could use, or the limits had no room for the whole cost.',
    }),
    ending: z.enum(endings).nullable().meta({
      description:
        'How the answer ended: `complete`, `out_of_money` (a limit was used up), `refused_before` (every provider failed before its answer began), `broke_off` (the provider failed in the middle), `client_left` (the client closed the connection) or `out_of_time` (the answer took too long). Null if that is not known.',
    }),
    provider_name: z.string().meta({ description: 'The name of the provider that got the request.' }),
    latency: countShape.nullable().meta({
      description: 'Milliseconds from the request to the first event of the answer; null without an event.',
    }),
    overhead_ms: countShape.nullable().meta({
      description:
        'The part of `latency` that the gateway itself took, in milliseconds: until it had sent the whole request to the first provider. The same applies to the job of a video. Null if that is not known.',
    }),
    provider_ms: countShape.nullable().meta({
      description:
        'Milliseconds from the end of `overhead_ms` until a provider sent its last byte; further attempts and searches in between are included. For a video, until its job ended. Null if no provider got a request, or if that is not known.',
    }),
    generation_time: countShape.nullable().meta({ description: generationTimeText }),
    tokens_prompt: countShape.meta({
      description: 'All tokens of the prompt, including those that were read from a cache or written to it.',
    }),
    tokens_completion: countShape.meta({ description: 'All tokens of the answer, thinking included.' }),
    native_tokens_prompt: countShape.meta({
      description: 'The same number as `tokens_prompt`. Clients of OpenRouter’s API read this field.',
    }),
    native_tokens_completion: countShape.meta({
      description: 'The same number as `tokens_completion`. Clients of OpenRouter’s API read this field.',
    }),
    native_tokens_reasoning: countShape
      .nullable()
      .meta({ description: 'The part of `tokens_completion` that is thinking.' }),
    native_tokens_cached: countShape
      .nullable()
      .meta({ description: 'The part of `tokens_prompt` that was read from a cache.' }),
    native_tokens_cache_write: countShape
      .nullable()
      .meta({ description: 'The part of `tokens_prompt` that was written to a cache for five minutes.' }),
    native_tokens_cache_write_1h: countShape
      .nullable()
      .meta({ description: 'The part of `tokens_prompt` that was written to a cache for one hour.' }),
    native_tokens_completion_images: countShape
      .nullable()
      .meta({ description: 'The part of `tokens_completion` that is drawn images; null if none is known.' }),
    num_search_results: countShape.meta({
      description: 'The number of results that web searches found; 0 if there was no search.',
    }),
    num_fetches: nothing,
    num_media_prompt: nothing,
    num_media_completion: countShape.nullable().meta({
      description:
        'The number of media (such as images and videos) that the model made, plus one if it spoke in a chat; null if it made none.',
    }),
    num_input_audio_prompt: nothing,
    api_type: z.enum(apiTypes).meta({ description: apiTypeText }),
    workspace_id: uuid.meta({ description: 'The id of the workspace that paid for the generation.' }),
    finish_reason: z.string().nullable().meta({ description: finishReasonText }),
    native_finish_reason: z.string().nullable().meta({
      description:
        'Why the answer ended, in the provider’s own word; the same as `finish_reason` if that is not known.',
    }),
    is_byok: z.literal(false),
    upstream_inference_cost: nothing,
    upstream_id: nothing,
    origin: z.string().meta({
      description: 'Always empty: clients of OpenRouter’s API read this field, and this gateway has no value for it.',
    }),
    data_region: z.string().meta({ description: 'Always `global`, because requests are bound to no region.' }),
    app_id: nothing,
    external_user: z.string().nullable().meta({
      description: 'The tag `user`, under the name that clients of OpenRouter’s API read; null without it.',
    }),
    http_referer: nothing,
    user_agent: nothing,
    moderation_latency: nothing,
    preset_id: nothing,
    provider_responses: z
      .array(attemptShape)
      .meta({ description: 'Every attempt to get an answer from a provider, in order; all but the last have failed.' }),
    router: nothing,
    service_tier: nothing,
    web_search_engine: nothing,
    tags: tagsShape,
    seals: z.array(sealShape).optional().meta({
      description:
        'The proofs that the charge is in the signed statement of its day, only with `proof=true`. The list is empty until the day of the charge is sealed.',
    }),
  })
  .meta({ id: 'Generation' });
export type GenerationBody = z.output<typeof generationShape>;

export const generationAnswer = dataShape(generationShape);
export type GenerationAnswer = z.output<typeof generationAnswer>;

const listedRequestShape = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the request, with which GET /generation shows the rest of it.' }),
    created_at: time.meta({ description: 'The time at which the request came in.' }),
    status: z.enum(requestStatuses).meta({
      description:
        'The state of the request: `pending` until the cost is final, `refused` if the gateway refused it and sent nothing to a provider, and otherwise how the answer ended: `complete`, `out_of_money` (a limit was used up), `refused_before` (every provider failed before its answer began), `broke_off` (the provider failed in the middle), `client_left` (the client closed the connection) or `out_of_time` (the answer took too long).',
    }),
    refusal: z
      .strictObject({
        status: countShape.meta({ description: 'The HTTP status of the refusal.' }),
        error_type: z.string().meta({ description: 'The kind of the error, as a name that does not change.' }),
        field: z.string().nullable().meta({ description: 'The field of the request that was at fault.' }),
        limit_source: z.string().nullable().meta({ description: 'The kind of the limit that refused the request.' }),
        amounts: refusedAmountsShape,
      })
      .nullable()
      .meta({ description: 'Why the request was refused; null if it was not.' }),
    api_type: z.enum(apiTypes).nullable().meta({ description: apiTypeText }),
    model: z
      .string()
      .nullable()
      .meta({ description: 'The id of the model that answered, or else of the requested model.' }),
    model_permaslug: z.string().nullable().meta({
      description:
        'The permanent id of the model, which always means this version, even if its `model` id is given to a newer one.',
    }),
    endpoint_id: z
      .string()
      .nullable()
      .meta({ description: 'The id of the endpoint (one provider’s offer of the model) that got the request.' }),
    provider_name: z.string().nullable().meta({ description: 'The name of the provider that got the request.' }),
    total_cost: rub.nullable().meta({ description: 'The cost of the request in RUB; null until it is final.' }),
    tokens_prompt: countShape.nullable().meta({
      description: 'All tokens of the prompts, including those that were read from a cache or written to it.',
    }),
    tokens_completion: countShape.nullable().meta({ description: 'All tokens of the answers, thinking included.' }),
    finish_reason: z.string().nullable().meta({ description: finishReasonText }),
    latency: countShape
      .nullable()
      .meta({ description: 'Milliseconds from the request to the first event of the answer.' }),
    generation_time: countShape.nullable().meta({ description: generationTimeText }),
    api_key_hash: z.string().meta({ description: 'The hash of the key that made the request.' }),
    workspace_id: uuid.meta({ description: 'The id of the workspace that paid for the request.' }),
    user_id: z.string().nullable().meta({ description: 'The id of the member whose key made the request.' }),
    tags: tagsShape,
  })
  .meta({ id: 'ListedRequest' });
export type ListedRequestBody = z.output<typeof listedRequestShape>;

export const generationListAnswer = z.strictObject({
  data: z.array(listedRequestShape).meta({ description: 'The requests of this page, newest first.' }),
  next_cursor: z.string().nullable().meta({
    description:
      'The cursor of the next page; null on the last page. A page with entries ends after 400 requests or 40 days, so with a filter it may be short: read on until this is null. A page is empty and has a cursor only if nothing was found in five seconds.',
  }),
  searched_until: time.nullable().meta({
    description: 'The list is complete from now back to this time; null on the last page.',
  }),
});
export type GenerationListAnswer = z.output<typeof generationListAnswer>;

const priceUnitShape = z.strictObject({
  meter: z.enum(meters).meta({ description: 'The kind of unit that is counted and has a price.' }),
  quantity: countShape.meta({ description: 'The number of units that are charged, such as tokens.' }),
  price_rub: rub.meta({ description: 'The price of one unit in RUB, as it was when the request was admitted.' }),
  cost_rub: rub.meta({ description: 'The price of all units of this kind, in RUB.' }),
});

const priceLineShape = z
  .strictObject({
    round: countShape.meta({ description: 'The number of the round that the line is about, counted from 1.' }),
    units: z.array(priceUnitShape).meta({ description: 'The charged units; empty if nothing was used.' }),
    tier_above_tokens: countShape.nullable().meta({
      description:
        'The line has the prices for prompts of more than this many tokens (`pricing.overrides` of the model); null if it has the usual prices.',
    }),
    cut_rub: rub.meta({
      description:
        'The amount by which the charge was cut to what was held for the request, as a negative number; 0 if nothing was cut. Only the last line can have one.',
    }),
    cost_rub: rub.meta({ description: 'The sum of the units and the cut, in RUB.' }),
  })
  .meta({ id: 'PriceLine' });

const requestRecordShape = z
  .strictObject({
    request: listedRequestShape.meta({ description: 'The request as the list has it.' }),
    generation: generationShape
      .nullable()
      .meta({ description: 'The record of the generation; null until its cost is final, and for a refused request.' }),
    held_rub: rub.nullable().meta({
      description:
        'The amount that is held for the request or, after its end, was held last, in RUB; null if nothing was held.',
    }),
    price_lines: z.array(priceLineShape).meta({
      description:
        'How the cost is computed. For some answers a provider gets several requests, for example after a search. Each of these requests (rounds) has a line, and their sum is the cost. Failed attempts have none. Searches and seconds of video are on the last line.',
    }),
    proven: z.boolean().nullable().meta({
      description:
        'Whether the lines add up to exactly the charge, and the charge does not exceed the held amount. If false, the record is faulty: report it to the operator. Null until the cost is final.',
    }),
  })
  .meta({ id: 'RequestRecord' });
export type RequestRecordBody = z.output<typeof requestRecordShape>;

export const requestRecordAnswer = dataShape(requestRecordShape);
export type RequestRecordAnswer = z.output<typeof requestRecordAnswer>;
