/** Fields that the gateway takes in both of OpenAI's APIs for answers, with their conversion to the Messages API. */

import * as z from 'zod';
import { anyObject, cacheControl, isAbsentOrEmpty, optionalField, userLabel } from '../messages/field-kinds.ts';
import { labelFields, traceField } from '../messages/label-fields.ts';
import { plugins, transforms } from '../messages/plugins.ts';
import { otherModels, routingField, sessionId } from '../messages/preferences.ts';
import { withoutBlankBlocks } from '../messages/blank-texts.ts';
import { boundedList } from '../messages/list-of.ts';
import {
  rareParameterFields,
  repetitionPenalty,
  samplingParameterFields,
  verbosity,
} from '../messages/sampling-fields.ts';
import type { Block } from '../messages/types.ts';
import { argumentSchema } from './argument-schema.ts';
import { reasoningEffort, type ThinkingFields } from './thinking-request.ts';
import { withoutNull } from './without-null.ts';

const tokenLimit = optionalField(z.int().positive());
/** Schema of a refused field. An empty text or list requests nothing, so it counts as absent. */
export const unsupported = (why: string) =>
  optionalField(
    z.custom<never>((value) => value === '' || isAbsentOrEmpty(value), why).meta({ override: { not: {} } }),
  ).meta({ description: 'This field is refused; the error says what to send.' });

const NO_STORE =
  'is not supported, because this gateway stores no answers. Send the whole conversation: in the AI SDK set store to false, in LangChain leave useResponsesApi’s previous_response_id off, in n8n and Open WebUI switch stored conversations off';

export const streamOptions = {
  include_usage: optionalField(z.boolean()).meta({
    description:
      'With true a stream of `POST /chat/completions` ends with a chunk that has the usage and no choices; otherwise the usage is in the chunk with `finish_reason`. `POST /responses` always has it in its last event.',
  }),
  include_obfuscation: optionalField(z.boolean()).meta({
    description: 'Accepted with any value: nothing is added to the events.',
  }),
};
const MAX_TOP_LOGPROBS = 20;

export const namedSchema = {
  name: optionalField(z.string()).meta({ description: 'A name of yours for the schema.' }),
  description: optionalField(z.string()).meta({ description: 'The purpose of the schema.' }),
  schema: optionalField(anyObject).meta({ description: 'The JSON schema that the answer has to fit.' }),
  strict: optionalField(z.boolean()).meta({
    description: 'Accepted, and without an effect: the answer always has to fit the schema.',
  }),
};

export const textFormat = z.strictObject({ type: z.literal('text') });
/**
 * The format `json_object` may have a schema: Instructor sends its schema here, because some services accept a schema
 * only here.
 */
export const jsonFormat = z.strictObject({
  type: z.literal('json_object'),
  schema: optionalField(anyObject).meta({ description: 'A JSON schema that the gateway adds to the prompt.' }),
});

const responseFormat = z.discriminatedUnion(
  'type',
  [
    textFormat,
    jsonFormat,
    z.strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject(namedSchema).meta({ description: 'The schema, with a name.' }),
    }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? 'must be one of text, json_object, json_schema' : undefined) },
);

const MAX_SENT_STOP_SEQUENCES = 64;

const stopSequence = z.string().min(1);

export const commonFields = {
  model: optionalField(z.string().min(1).max(200)).meta({
    description:
      'The id of a model of the catalog, such as `openai/gpt-5.5`. A suffix requests something more: `:floor` for the lowest price, `:nitro` for the highest throughput, `:online` for a web search first.',
  }),
  models: otherModels.meta({
    description: 'Other models that are tried, in this order, if the first one cannot answer.',
  }),
  stream: optionalField(z.boolean()).meta({
    description: 'With true the answer comes as server-sent events while it is written.',
  }),
  stream_options: optionalField(z.looseObject(streamOptions)).meta({
    description: 'Settings of the stream that the answer comes as.',
  }),
  ...samplingParameterFields,
  // Clients of vLLM send -1 for all tokens (https://github.com/vllm-project/vllm/pull/17691).
  top_k: optionalField(
    z
      .int()
      .min(-1)
      .transform((most) => Math.max(most, 0)),
  ).meta({
    description:
      'The model considers only the `top_k` most likely tokens. With 0 or -1 it considers all tokens. A model that does not list the field in its `supported_parameters` answers without it.',
  }),
  max_tokens: tokenLimit.meta({
    description: 'The maximum number of tokens of the answer, including thinking. It also limits the cost.',
  }),
  max_completion_tokens: tokenLimit.meta({
    description: 'The newer name of `max_tokens`; if both are sent, this one is used.',
  }),
  max_output_tokens: tokenLimit.meta({
    description: 'The same, in the form of `POST /responses`; if several are sent, this one is used.',
  }),
  stop: optionalField(
    z.union([stopSequence, boundedList(stopSequence, { max: MAX_SENT_STOP_SEQUENCES })], 'must be a text or a list'),
  ).meta({ description: 'Texts at which the answer ends; the text itself is not part of the answer.' }),
  repetition_penalty: repetitionPenalty,
  verbosity,
  ...rareParameterFields,
  prediction: optionalField(z.looseObject({ type: z.literal('content') })).meta({
    description: 'A text that the answer is expected to resemble. No model here takes it: it is left out.',
  }),
  response_format: optionalField(responseFormat).meta({
    description:
      'The form of the answer. `json_schema` makes it fit a schema, on models that support this. With `json_object` the prompt demands a JSON object, and providers with a JSON mode enforce it in requests without tools.',
  }),
  reasoning_effort: reasoningEffort.meta({
    description:
      'How much the model thinks before it answers: with `none` not at all, with `max` the most. Thinking is billed as output.',
  }),
  n: optionalField(z.literal(1, 'must be 1; send the request again for another answer')).meta({
    description: 'Only 1 is accepted: each request has one answer.',
  }),
  logprobs: optionalField(z.boolean()).meta({
    description:
      'With true the answer has the probabilities of its tokens. Only models with `logprobs` in their `supported_parameters` give them; others refuse the request.',
  }),
  parallel_tool_calls: optionalField(z.boolean()).meta({
    description: 'With false the answer has at most one call of a tool.',
  }),
  user: userLabel.meta({
    description:
      'Your id of the end user for whom the request is made. Providers get a digest of it, never the id itself. The record has it as the tag `user`.',
  }),
  safety_identifier: userLabel.meta({
    description: 'The newer name of `user`; if both are sent, this one is used.',
  }),
  prompt_cache_key: optionalField(z.string().max(256)).meta({
    description: 'The same as `session_id`, under the name of OpenAI’s API; if both are sent, `session_id` is used.',
  }),
  // Some SDKs write "in-memory" (https://github.com/pydantic/pydantic-ai/issues/4028).
  prompt_cache_retention: optionalField(z.enum(['in_memory', 'in-memory', '24h'])).meta({
    description: 'Left out: how long a prompt stays in a cache depends on its provider.',
  }),
  prompt_cache_options: optionalField(
    z.looseObject({
      prewarm: optionalField(z.literal(false, 'must be false, because this gateway answers every request')).meta({
        description: 'Only false is accepted, because every request is answered.',
      }),
    }),
  ).meta({
    description: 'Settings of OpenAI’s caches. They are left out; marks on parts (`cache_control`) have an effect.',
  }),
  previous_response_id: optionalField(z.literal('', NO_STORE)).meta({
    description: 'This field is refused: send the whole conversation with each request.',
  }),
  conversation: unsupported(NO_STORE),
  prompt: unsupported('is not supported, because this gateway stores no prompts; send its text in the conversation'),
  background: optionalField(z.literal(false, 'must be false, because this gateway does not store answers')).meta({
    description: 'Only false is accepted, because answers are not kept.',
  }),
  attachments: unsupported('is not supported; send files as parts of a message'),
  moderation: unsupported('requests a moderation, which this gateway does not support; leave it out'),
  metadata: labelFields.metadata,
  trace: traceField,
  service_tier: optionalField(
    z.enum(
      ['auto', 'default', 'standard'],
      'must be "auto", "default" or "standard", because the catalog has no prices for other tiers',
    ),
  ).meta({
    description:
      'All three values mean the standard tier, because only that is supported; tiers with other prices are refused.',
  }),
  top_logprobs: optionalField(z.int().min(0).max(MAX_TOP_LOGPROBS)).meta({
    description:
      'How many other likely tokens the answer shows for each of its tokens, on models with `logprobs` in their `supported_parameters`.',
  }),
  provider: routingField,
  plugins: plugins.meta({
    description:
      'Work of the gateway before the model gets the request: `web` searches the web, `context-compression` shortens a conversation that is too long.',
  }),
  transforms: transforms.meta({
    description: '`["middle-out"]` is the older way to request the plugin `context-compression`.',
  }),
  route: optionalField(z.literal('fallback')).meta({
    description: 'Only `fallback` is accepted, which has no effect: other models are always tried in turn.',
  }),
  cache_control: cacheControl.meta({
    description: 'Requests that the provider cache the prompt up to its last part.',
  }),
  session_id: sessionId,
};
type CommonBody = z.output<z.ZodObject<typeof commonFields>>;

/** Format of an answer, in the form of the Responses API. */
export type AnswerFormat =
  | z.output<typeof textFormat>
  | z.output<typeof jsonFormat>
  | ({ type: 'json_schema' } & z.output<z.ZodObject<typeof namedSchema>>);

/** Returns the format that a body requests in the form of the Chat Completions API. */
export function requestedFormat({ response_format: format }: CommonBody): AnswerFormat | undefined {
  return format?.type === 'json_schema' ? { type: format.type, ...format.json_schema } : (format ?? undefined);
}

/** Keywords that allow everything. Zod writes them for records and for objects without properties. */
const OPEN_LIMITS: ReadonlySet<string> = new Set([
  '["additionalProperties",true]',
  '["additionalProperties",{}]',
  '["properties",{}]',
  '["propertyNames",{"type":"string"}]',
]);

/**
 * Returns whether a schema is absent, or allows any JSON object. Claude accepts no such schema: without additional
 * properties, it allows only the empty object (https://github.com/stdapi-ai/stdapi.ai/issues/96).
 */
function allowsAnyObject(schema: Record<string, unknown> | null | undefined): boolean {
  const { type = 'object', title: _1, description: _2, $schema: _3, ...limits } = schema ?? {};
  return type === 'object' && Object.entries(limits).every((limit) => OPEN_LIMITS.has(JSON.stringify(limit)));
}

/** Returns the format with `json_object` in place of a schema that allows any JSON object. */
function effectiveFormat(format: AnswerFormat | undefined): AnswerFormat | undefined {
  return format?.type === 'json_schema' && allowsAnyObject(format.schema) ? { type: 'json_object' } : format;
}

/** Returns a format other than text in the form of the Messages API, to which the gateway adds `json_object`. */
function jsonOutput(format: AnswerFormat | undefined) {
  if (format?.type === 'json_object') return { type: format.type };
  if (format?.type !== 'json_schema') return undefined;
  const { name, description, schema } = format;
  return {
    type: 'json_schema' as const,
    schema: schema && 'properties' in schema ? argumentSchema(schema) : schema,
    ...(name ? { name } : {}),
    ...(description ? { description } : {}),
  };
}

const JSON_INSTRUCTION =
  'Answer with a single JSON object and nothing else: no words before or after it, and no code fence around it.';

/** Returns, as blocks, the instruction that the gateway adds to the prompt for the format `json_object`. */
function formatInstructions(format: AnswerFormat | undefined): Block[] {
  if (format?.type !== 'json_object') return [];
  const { schema } = format;
  const fit = schema ? ` It has to fit this JSON schema:\n${JSON.stringify(schema)}` : '';
  return [{ type: 'text', text: `${JSON_INSTRUCTION}${fit}` }];
}

/** Returns the system prompt, and the settings of thinking and of the answer's format. */
export function promptSettings(
  system: Block[],
  { output_config: output, ...thinking }: ThinkingFields,
  requested: AnswerFormat | undefined,
) {
  const format = effectiveFormat(requested);
  const blocks = withoutBlankBlocks([...system, ...formatInstructions(format)]);
  const json = jsonOutput(format);
  return {
    ...thinking,
    ...(blocks.length > 0 ? { system: blocks } : {}),
    ...(output || json ? { output_config: { ...output, ...(json ? { format: json } : {}) } } : {}),
  };
}

/** Default values of fields. They are dropped: some clients always send them, and some providers reject the fields. */
const neutral: Record<string, unknown> = {
  top_p: 1,
  top_k: 0,
  frequency_penalty: 0,
  presence_penalty: 0,
  repetition_penalty: 1,
  verbosity: 'medium',
  min_p: 0,
  top_a: 0,
};

/** Names of known fields that are only hints, and have no effect in this gateway. */
export const unheededHints = ['prediction', 'prompt_cache_options', 'prompt_cache_retention'];

/** Fields that have the same name in the Messages API. */
const sameFields = [
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'seed',
  'verbosity',
  'min_p',
  'top_a',
  'cache_control',
  'provider',
  'transforms',
  'stream',
] as const satisfies (keyof typeof commonFields)[];

/** Returns the members of a body that have the same name in the Messages API, without nulls and neutral values. */
export function plainFields(body: object): Record<string, unknown> {
  const members = body as Record<string, unknown>;
  return Object.fromEntries(
    sameFields.flatMap((name) => {
      const value = members[name];
      return value === null || value === undefined || value === neutral[name] ? [] : [[name, value]];
    }),
  );
}

/** Returns the fields that limit the answer, or that concern its single tokens, in the form of the Messages API. */
export function answerFields(body: CommonBody): Record<string, unknown> {
  const {
    max_tokens: limit,
    max_completion_tokens: newer,
    max_output_tokens: newest,
    stop,
    logit_bias: bias,
    logprobs,
    top_logprobs: most,
  } = body;
  const sequences = typeof stop === 'string' ? [stop] : (stop ?? []);
  return withoutNull({
    max_tokens: newest ?? newer ?? limit,
    stop_sequences: sequences.length > 0 ? sequences : undefined,
    logit_bias: bias && Object.keys(bias).length > 0 ? bias : undefined,
    ...(logprobs ? { logprobs, top_logprobs: most || undefined } : {}),
  });
}

/** Returns the requested model and its fallbacks, in the order of attempts; undefined if the request names no model. */
export function modelsOfBody({ model, models }: CommonBody): { model: string; models?: string[] } | undefined {
  const [first, ...others] = [...(model ? [model] : []), ...(models ?? [])];
  if (first === undefined) return undefined;
  return { model: first, ...(others.length > 0 ? { models: others } : {}) };
}

/** Returns the ids of the end user and of the conversation. */
export function callerFields(body: CommonBody): { metadata?: { user_id: string }; session_id?: string } {
  const userId = body.safety_identifier || body.user;
  const session = body.session_id || body.prompt_cache_key;
  return {
    ...(userId ? { metadata: { user_id: userId } } : {}),
    ...(session ? { session_id: session } : {}),
  };
}
