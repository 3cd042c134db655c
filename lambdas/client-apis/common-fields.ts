/** Fields that OpenAI's Chat Completions API and Responses API share, with their conversion to the Messages API. */

import * as z from 'zod';
import { anyObject, optionalField, userLabel } from '../messages/field-kinds.ts';
import { tagsMember, traceField } from '../messages/label-fields.ts';
import { plugins, transforms } from '../messages/plugins.ts';
import { otherModels, routingField, sessionId } from '../messages/preferences.ts';
import { rareParameterFields, samplingParameterFields } from '../messages/sampling-fields.ts';

const MAX_LABELS = 16;
const MAX_LABEL_NAME = 64;
const LABEL_NAME_RULE = `must have names of at most ${MAX_LABEL_NAME} characters`;
const MAX_LABEL_CHARACTERS = 512;

export const tokenLimit = optionalField(z.int().positive());
export const unsupported = (why: string) =>
  optionalField(z.never(why)).meta({ description: 'This field is refused; the error says what to send.' });

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

export const rareTuningFields = {
  ...rareParameterFields,
  prediction: optionalField(z.looseObject({ type: z.literal('content') })).meta({
    description: 'A text that the answer is expected to resemble. No model here takes it: it is left out.',
  }),
};

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
  prompt_cache_retention: optionalField(z.enum(['in_memory', '24h'])).meta({
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
  moderation: unsupported('requests a moderation, which this gateway does not support; leave it out'),
  metadata: optionalField(
    z
      .object({ tags: tagsMember })
      .catchall(z.string().max(MAX_LABEL_CHARACTERS))
      .refine((labels) => Object.keys(labels).every((name) => name.length <= MAX_LABEL_NAME), LABEL_NAME_RULE)
      .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `must have at most ${MAX_LABELS} members`),
  ).meta({
    description: 'Labels. Only `tags` has an effect, because answers are not stored.',
  }),
  trace: traceField,
  service_tier: optionalField(
    z.enum(
      ['auto', 'default', 'standard'],
      'must be "auto" or "default", because the catalog has no prices for other tiers',
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
  session_id: sessionId,
};
type CommonBody = z.output<z.ZodObject<typeof commonFields>>;

/**
 * Returns the output format in the form of the Messages API.
 * @param format schema, with an optional name and description that models read
 */
export function schemaFormat({ name, description, schema }: z.output<z.ZodObject<typeof namedSchema>>) {
  return {
    type: 'json_schema',
    schema: schema ?? {},
    ...(name ? { name } : {}),
    ...(description ? { description } : {}),
  };
}

/** Schema for an answer, with its name, purpose and strictness as in OpenAI's APIs. */
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
 * The format `json_object`, with an optional schema. The client library Instructor sends the schema in this format,
 * because some services accept a schema only there.
 */
export const jsonFormat = z.strictObject({
  type: z.literal('json_object'),
  schema: optionalField(anyObject).meta({ description: 'A JSON schema that the gateway adds to the prompt.' }),
});

const JSON_INSTRUCTION =
  'Answer with a single JSON object and nothing else: no words before or after it, and no code fence around it.';

/** Returns the instruction that the gateway adds to the prompt of a model that must answer in JSON. */
export function jsonInstruction(schema: object | null | undefined): string {
  return schema ? `${JSON_INSTRUCTION} It has to fit this JSON schema:\n${JSON.stringify(schema)}` : JSON_INSTRUCTION;
}

/**
 * Default values that have no effect. Clients send them for fields that the user did not set, and some providers reject
 * the fields, so they are dropped.
 */
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

/** Known hints of clients that have no effect in this gateway. */
export const unheededHints = ['prediction', 'prompt_cache_options', 'prompt_cache_retention'];

/** Returns the members of a body that have the same name in the Messages API, without nulls and default values. */
export function plainFields(body: object, names: readonly string[]): Record<string, unknown> {
  const members = body as Record<string, unknown>;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = members[name];
      return value === null || value === undefined || value === neutral[name] ? [] : [[name, value]];
    }),
  );
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
