/**
 * The body of POST /messages. Known parts are checked; unknown top-level fields and block types pass, because the
 * Messages API grows faster than gateways are deployed. An explicit null counts as absent.
 */

import * as z from 'zod';
import { content } from './blocks.ts';
import { anyObject, cacheControl, optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import { plugins, transforms } from './plugins.ts';
import { otherModels, providerPreferences, sessionId, type RoutedRequest } from './preferences.ts';
import { refusedBeta, threadsRefusal } from './priced-betas.ts';
import { isSearchType, SEARCH_NAME } from './search-tool.ts';
import { tool } from './tool-schema.ts';
import type { Tool } from './types.ts';

/** More than the longest conversations of agents have. */
const MAX_MESSAGES = 20_000;
const MAX_TOOLS = 1_024;
const MAX_STOP_SEQUENCES = 64;
const MAX_EDITS = 16;
const MAX_BETAS = 64;

/** Checked, and passed on as it is: see blocks. */
const message = z.object({ role: z.enum(['user', 'assistant', 'system']), content });

const toolChoice = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: optionalField(z.string()),
  disable_parallel_tool_use: optionalField(z.boolean()),
});

const jsonFormat = z.looseObject({ type: z.literal('json_schema'), schema: anyObject });

/** Edits that only leave out parts of the prompt. Others, like compaction, are answers with a cost of their own. */
const contextEdits = ['clear_tool_uses_20250919', 'clear_thinking_20251015'] as const;
const contextEdit = z.object({
  type: z.enum(contextEdits, {
    error: `must be one of ${contextEdits.join(', ')}: this gateway has no price for other edits`,
  }),
});

const fields = z.looseObject({
  model: z.string().min(1).max(200),
  messages: boundedList(message, { min: 1, max: MAX_MESSAGES }),
  max_tokens: optionalField(z.int().nonnegative()),
  system: optionalField(content),
  stop_sequences: optionalField(boundedList(z.string().min(1), { max: MAX_STOP_SEQUENCES })),
  stream: optionalField(z.boolean()),
  temperature: optionalField(z.number().min(0).max(2)),
  top_p: optionalField(z.number().min(0).max(1)),
  top_k: optionalField(z.int().nonnegative()),
  tools: optionalField(boundedList(tool, { max: MAX_TOOLS })),
  tool_choice: optionalField(toolChoice),
  thinking: optionalField(
    z.looseObject({
      type: z.enum(['enabled', 'adaptive', 'disabled', 'between_tools']),
      budget_tokens: optionalField(z.int().min(1024)),
    }),
  ),
  output_config: optionalField(
    z.looseObject({
      effort: optionalField(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: optionalField(jsonFormat),
    }),
  ),
  // The name of output_config.format in older clients.
  output_format: optionalField(jsonFormat),
  metadata: optionalField(z.looseObject({ user_id: optionalField(z.string().max(512)) })),
  cache_control: cacheControl,
  context_management: optionalField(
    z.looseObject({ edits: optionalField(boundedList(contextEdit, { max: MAX_EDITS })) }),
  ),
  betas: optionalField(boundedList(z.string(), { max: MAX_BETAS })),
  speed: optionalField(z.literal('standard', 'must be "standard": the catalog has no other price')),
  service_tier: optionalField(
    z.enum(['auto', 'standard_only'], 'must be "auto" or "standard_only": the catalog has no other price'),
  ),
  inference_geo: optionalField(z.literal('global', 'must be "global": the catalog has no other price')),
  // The gateway's own.
  provider: optionalField(providerPreferences),
  models: otherModels,
  plugins,
  transforms,
  session_id: sessionId,
  cache: optionalField(z.literal('auto', 'must be "auto", or left out')).meta({
    description:
      '"auto" marks the prompt for caching where you marked nothing: behind the tools, behind the system prompt, and behind the last two turns of the user. Only endpoints that cache on request (Claude, Nova) read the marks; writing a cache costs more than reading it saves once, so it is worth it from the second turn on.',
  }),
});

/**
 * Fields that change what a provider charges, or let a request cost what its bytes do not bound: the gateway does not bound
 * or price them yet, so a budget could not hold.
 */
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

/** Fields of OpenAI's APIs, and the names that they have here. */
const foreignFields: Record<string, string> = {
  max_completion_tokens: 'max_tokens',
  max_output_tokens: 'max_tokens',
  stop: 'stop_sequences',
  response_format: 'output_config.format',
  reasoning_effort: 'output_config.effort',
  functions: 'tools',
};

/** The gateway's search is a tool like any other to the model: none may share its name. */
function repeatedName(tools: Tool[]): number | undefined {
  const search = tools.findIndex(({ type }) => isSearchType(type));
  if (search === -1) return undefined;
  const other = tools.findIndex(({ name }, index) => index !== search && name === SEARCH_NAME);
  return other === -1 ? undefined : other;
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

export const messagesRequestSchema = fields
  .superRefine((request, context) => {
    const refuse = (path: PropertyKey[], message: string, details?: Record<string, unknown>) =>
      context.addIssue({ code: 'custom', path, message, params: { details } });
    if (!isAbsent(request['thread'])) refuse(['thread'], threadsRefusal.message, threadsRefusal.details);
    for (const field of refusedFields) {
      if (!isAbsent(request[field])) refuse([field], 'is not supported by this gateway; leave it out');
    }
    for (const [field, name] of Object.entries(foreignFields)) {
      if (!isAbsent(request[field])) refuse([field], `is called "${name}" in the Messages API`);
    }
    const twice = repeatedName(request.tools ?? []);
    if (twice !== undefined) refuse(['tools', twice, 'name'], 'is the name of another tool as well');
    const beta = refusedBeta(request.betas ?? []);
    if (beta) refuse(['betas'], beta.message, beta.details);
    if (request.tool_choice?.type === 'tool' && !request.tool_choice.name) {
      refuse(['tool_choice', 'name'], 'is required with type "tool"');
    }
  })
  .transform((request) => {
    const present = Object.entries(request).filter(
      ([field, value]) => value !== null && !refusedFields.includes(field),
    );
    return Object.fromEntries(present) as unknown as RoutedRequest;
  });

/** How the JSON of such a body is read. */
export const messagesJson = {
  /** The longest sessions of agents have a few tens of thousands. */
  maxValues: 100_000,
  /** What a model wrote, or has to write, and amounts of money: the gateway must not round their digits. */
  exactWithin: ['input', 'input_schema', 'input_examples', 'schema', 'max_price'],
};
