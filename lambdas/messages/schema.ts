/**
 * Schema of the body of POST /messages. Unknown top-level fields and block types are accepted, because the Messages API
 * changes faster than gateways are deployed. An explicit null counts as absent.
 */

import * as z from 'zod';
import { isBlankConversation } from './blank-texts.ts';
import { content } from './blocks.ts';
import { withUniqueCallIds } from './call-ids.ts';
import { anyObject, cacheControl, isAbsentOrEmpty, optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import { plugins, transforms } from './plugins.ts';
import { tagsMember, traceField } from './label-fields.ts';
import { otherModels, routingField, sessionId, type RoutedRequest } from './preferences.ts';
import { refusedBeta, threadsRefusal } from './priced-betas.ts';
import { rareParameterFields, repetitionPenalty, samplingParameterFields, verbosity } from './sampling-fields.ts';
import { REPEATED_TOOL_NAME, repeatedName } from './tool-names.ts';
import { tool } from './tool-schema.ts';

const MAX_MESSAGES = 20_000;
const MAX_TOOLS = 1_024;
const MAX_SENT_STOP_SEQUENCES = 64;
const MAX_EDITS = 16;
const MAX_BETAS = 64;

const message = z.object({
  role: z.enum(['user', 'assistant', 'system']).meta({
    description:
      'The author of the message. A `system` message in the middle of a conversation is passed on if the model accepts it.',
  }),
  content: content.meta({ description: 'The content of the message: a text, or a list of blocks.' }),
});

const toolChoiceSchema = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']).meta({
    description:
      'With `auto` the model decides, with `any` it calls at least one tool, with `tool` the named one, with `none` no tool.',
  }),
  name: optionalField(z.string()).meta({
    description: 'The name of the tool that has to be called, with type `tool`.',
  }),
  disable_parallel_tool_use: optionalField(z.boolean()).meta({
    description: 'With true the answer has at most one call of a tool.',
  }),
});

const jsonFormat = z.looseObject({
  type: z.literal('json_schema'),
  schema: anyObject.meta({ description: 'The JSON schema that the answer has to fit.' }),
});

/**
 * Edits of the prompt that only omit parts of it. Other edits, such as compaction, generate an answer with its own
 * cost.
 */
const contextEdits = ['clear_tool_uses_20250919', 'clear_thinking_20251015'] as const;
const contextEdit = z.object({
  type: z
    .enum(contextEdits, {
      error: `must be one of ${contextEdits.join(', ')}: this gateway has no price for other edits`,
    })
    .meta({ description: 'Which parts are left out: old results of tools, or old thinking.' }),
});

/** Names under which bodies for Anthropic, Amazon Bedrock and Google Cloud list beta features. */
const betaFields = ['betas', 'anthropic_beta', 'anthropic-beta'] as const;
const betaHeader = optionalField(
  z.union([z.string(), boundedList(z.string(), { max: MAX_BETAS })], 'must be a list of names, or a text with commas'),
).meta({
  description: 'The same as `betas`, under the name that it has in bodies for Amazon Bedrock and in the header.',
});

const requestFields = z.looseObject({
  model: z.string().min(1).max(200).meta({
    description:
      'The id of a model of the catalog, such as `anthropic/claude-sonnet-5`. A suffix requests something more: `:floor` for the lowest price, `:nitro` for the highest throughput, `:online` for a web search first.',
  }),
  messages: boundedList(message, { min: 1, max: MAX_MESSAGES }).meta({
    description: 'The conversation so far, with the oldest message first.',
  }),
  max_tokens: optionalField(z.int().nonnegative()).meta({
    description:
      'The maximum number of tokens of the answer, including thinking. It also limits the cost. Without it, the model’s own limit applies.',
  }),
  system: optionalField(content).meta({
    description: 'Instructions that the model gets before the conversation: a text, or a list of text blocks.',
  }),
  stop_sequences: optionalField(boundedList(z.string().min(1), { max: MAX_SENT_STOP_SEQUENCES })).meta({
    description: 'Texts at which the answer ends; the text itself is not part of the answer.',
  }),
  stream: optionalField(z.boolean()).meta({
    description: 'With true the answer comes as server-sent events while it is written.',
  }),
  // The Messages API has only some of these fields; models on other wires support the other fields.
  ...samplingParameterFields,
  repetition_penalty: repetitionPenalty,
  ...rareParameterFields,
  verbosity,
  tools: optionalField(boundedList(tool, { max: MAX_TOOLS })).meta({
    description:
      'Your functions that the model may call, each with a name of its own, and types of tools that Anthropic defines. The gateway itself runs types that begin with `web_search_`, with any model that can call functions.',
  }),
  tool_choice: optionalField(toolChoiceSchema).meta({
    description: 'Whether the model has to call a tool, and which one.',
  }),
  thinking: optionalField(
    z.looseObject({
      type: z.enum(['enabled', 'adaptive', 'disabled', 'between_tools']).meta({
        description:
          'With `enabled` the model thinks within `budget_tokens`, with `adaptive` as much as it finds useful, with `between_tools` between its calls of tools, with `disabled` not at all.',
      }),
      budget_tokens: optionalField(z.int().min(1024)).meta({
        description: 'The most tokens of thinking; they are part of `max_tokens`.',
      }),
    }),
  ).meta({ description: 'Whether the model thinks before it answers. Thinking is billed as output.' }),
  output_config: optionalField(
    z.looseObject({
      effort: optionalField(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])).meta({
        description: 'How much work the model puts into the answer: more effort takes more tokens.',
      }),
      format: optionalField(jsonFormat).meta({ description: 'With this the answer is JSON that fits a schema.' }),
    }),
  ).meta({ description: 'Settings for how the answer is made.' }),
  output_format: optionalField(jsonFormat).meta({
    description: 'The older name of `output_config.format`; it does the same.',
  }),
  metadata: optionalField(
    z.looseObject({
      user_id: optionalField(z.string().max(512)).meta({
        description:
          'Your id of the end user for whom the request is made. Providers get a digest of it, never the id itself. The record has it as the tag `user`.',
      }),
      tags: tagsMember,
    }),
  ).meta({ description: 'Information about the request that does not change the answer.' }),
  cache_control: cacheControl.meta({
    description:
      'Requests that the provider cache the prompt up to its last block, so that the next request with the same beginning costs less.',
  }),
  context_management: optionalField(
    z.looseObject({
      edits: optionalField(boundedList(contextEdit, { max: MAX_EDITS })).meta({
        description: 'The edits to apply: which old results of tools or thinking are left out, and when.',
      }),
    }),
  ).meta({ description: 'Lets the provider leave out old parts of a long conversation.' }),
  logprobs: optionalField(
    z.literal(false, 'is not supported by this API; POST /chat/completions and POST /responses give probabilities'),
  ).meta({ description: 'Only false is accepted, because answers of this API have no probabilities.' }),
  betas: optionalField(boundedList(z.string(), { max: MAX_BETAS })).meta({
    description:
      'Names of beta features of Anthropic’s Messages API, as in the header `anthropic-beta`. Those that the endpoint does not know are left out; those with a price of their own are refused.',
  }),
  anthropic_beta: betaHeader,
  'anthropic-beta': betaHeader,
  anthropic_version: optionalField(
    z.enum(['2023-06-01', 'bedrock-2023-05-31', 'vertex-2023-10-16'], {
      error:
        'must be 2023-06-01, bedrock-2023-05-31 or vertex-2023-10-16; send a newer version in the header anthropic-version',
    }),
  ).meta({
    description:
      'The version of the API in bodies for Amazon Bedrock and Google Cloud. Accepted, and without an effect: all of these mean the oldest one.',
  }),
  speed: optionalField(
    z.literal('standard', 'must be "standard", because the catalog has no prices for other speeds'),
  ).meta({
    description: 'Only `standard` is supported, because other speeds have other prices.',
  }),
  service_tier: optionalField(
    z.enum(
      ['auto', 'standard_only'],
      'must be "auto" or "standard_only", because the catalog has no prices for other tiers',
    ),
  ).meta({ description: 'The service tier at Anthropic; tiers with other prices are refused.' }),
  inference_geo: optionalField(
    z.literal('global', 'must be "global", because the catalog has no prices for other regions'),
  ).meta({
    description: 'Only `global` is supported, because other regions have other prices.',
  }),
  provider: routingField,
  models: otherModels.meta({
    description: 'Other models that are tried, in this order, if the first one cannot answer.',
  }),
  plugins: plugins.meta({
    description:
      'Work of the gateway before the model gets the request: `web` searches the web, `context-compression` shortens a conversation that is too long.',
  }),
  transforms: transforms.meta({
    description: '`["middle-out"]` is the older way to request the plugin `context-compression`.',
  }),
  session_id: sessionId,
  trace: traceField,
  cache: optionalField(z.literal('auto', 'must be "auto", or left out')).meta({
    description:
      'With `auto` the gateway marks the prompt for caching, if you set no marks: after the tools, after the system prompt, and after the last two turns of the user. Only endpoints that cache on request (Claude, Nova) read the marks. Writing a cache costs more than plain input, and reading it less: it pays from the second turn on.',
  }),
});

/** Fields that change the provider's prices, or whose cost the size of the request does not bound. */
const unpricedFields = [
  'mcp_servers',
  'container',
  'fallbacks',
  'fallback_credit_token',
  'compaction',
  'thread',
  'billing_policy',
] as const;

const refusedFields: readonly string[] = unpricedFields;
/** Fields that the parsed request does not contain: they are refused, kept in another form, or have no effect. */
const takenOutFields = new Set<string>([...refusedFields, ...betaFields, 'anthropic_version']);

/** Fields of OpenAI's APIs, with their names in the Messages API. */
const foreignFields: Record<string, string> = {
  max_completion_tokens: 'max_tokens',
  max_output_tokens: 'max_tokens',
  stop: 'stop_sequences',
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  functions: 'tools',
};

/** Fields of only the Chat Completions API: clients of the Messages API support no images and speech in answers. */
const chatOnlyFields = ['modalities', 'image_config', 'audio'] as const;

type Present<Body> = { [Field in keyof Body]: Exclude<Body[Field], null | undefined> };

export const messagesRequestSchema = requestFields
  .superRefine((request, context) => {
    const refuse = (path: PropertyKey[], message: string, details?: Record<string, unknown>) =>
      context.addIssue({ code: 'custom', path, message, params: { details } });
    if (isBlankConversation(request.messages))
      refuse(['messages'], 'have no text; write at least one that is not blank');
    if (!isAbsentOrEmpty(request['thread'])) refuse(['thread'], threadsRefusal.message, threadsRefusal.details);
    for (const field of refusedFields) {
      if (!isAbsentOrEmpty(request[field])) refuse([field], 'is not supported by this gateway; leave it out');
    }
    for (const [field, name] of Object.entries(foreignFields)) {
      if (!isAbsentOrEmpty(request[field])) refuse([field], `is called "${name}" in the Messages API`);
    }
    for (const field of chatOnlyFields) {
      if (!isAbsentOrEmpty(request[field])) refuse([field], 'works only with POST /chat/completions; send it there');
    }
    const repeated = repeatedName((request.tools ?? []).map(({ name }) => name));
    if (repeated !== undefined) refuse(['tools', repeated, 'name'], REPEATED_TOOL_NAME);
    for (const field of betaFields) {
      const beta = refusedBeta(namesOfBetas(request[field]));
      if (beta) refuse([field], beta.message, beta.details);
    }
    if (request.tool_choice?.type === 'tool' && !request.tool_choice.name) {
      refuse(['tool_choice', 'name'], 'is required with type "tool"');
    }
  })
  .transform((request) => {
    const present = Object.entries(request).filter(([field, value]) => value !== null && !takenOutFields.has(field));
    // The cast lets the compiler check that RoutedRequest has the fields of the schema.
    const routed: RoutedRequest = Object.fromEntries(present) as Present<typeof request>;
    const betas = [...new Set(betaFields.flatMap((field) => namesOfBetas(request[field])))];
    const unique: RoutedRequest = { ...routed, messages: withUniqueCallIds(routed.messages) };
    return betas.length > 0 ? { ...unique, betas } : unique;
  });

function namesOfBetas(sent: string | readonly string[] | null | undefined): string[] {
  const names = typeof sent === 'string' ? sent.split(',') : (sent ?? []);
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Limits for parsing the JSON of the body. */
export const messagesJson = {
  maxValues: 100_000,
  /** Numbers that the gateway must not round: JSON that a model wrote or must write, and amounts of money. */
  exactWithin: ['input', 'input_schema', 'input_examples', 'schema', 'max_price'],
};
