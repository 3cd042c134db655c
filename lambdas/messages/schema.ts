import { z } from 'zod';
import type { MessagesRequest } from './types.ts';

/**
 * The body of POST /messages. Known parts are checked; unknown top-level fields and block types pass, because the
 * Messages API grows faster than gateways are deployed. An explicit null counts as absent.
 */
const MAX_MESSAGES = 100_000;

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish();

const imageMediaTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;

const imageSource = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), media_type: z.enum(imageMediaTypes), data: z.string().min(1) }),
  z.looseObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
  z.looseObject({ type: z.literal('file'), file_id: z.string().min(1) }),
]);

const documentSource = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.string().min(1) }),
  z.looseObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  z.looseObject({ type: z.literal('content'), content: z.union([z.string(), z.array(z.looseObject({}))]) }),
  z.looseObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/ }) }),
  z.looseObject({ type: z.literal('file'), file_id: z.string().min(1) }),
]);

const cacheControl = optional(z.looseObject({ type: z.literal('ephemeral'), ttl: optional(z.enum(['5m', '1h'])) }));

const blockSchemas: Record<string, z.ZodType> = {
  text: z.looseObject({ text: z.string(), cache_control: cacheControl }),
  image: z.looseObject({ source: imageSource, cache_control: cacheControl }),
  document: z.looseObject({ source: documentSource, cache_control: cacheControl }),
  thinking: z.looseObject({ thinking: z.string(), signature: optional(z.string()) }),
  redacted_thinking: z.looseObject({ data: z.string() }),
  tool_use: z.looseObject({
    id: z.string().min(1),
    name: z.string().min(1),
    input: z.record(z.string(), z.unknown()),
    cache_control: cacheControl,
  }),
  tool_result: z.looseObject({
    tool_use_id: z.string().min(1),
    content: optional(z.union([z.string(), z.array(z.lazy(() => block))])),
    is_error: optional(z.boolean()),
    cache_control: cacheControl,
  }),
};

/** A content block: of a known type and well-formed, or of a type that only the upstream can judge. */
const block: z.ZodType<{ type: string }> = z.looseObject({ type: z.string() }).superRefine((value, context) => {
  const parsed = blockSchemas[value.type]?.safeParse(value);
  if (!parsed || parsed.success) return;
  for (const issue of parsed.error.issues) {
    context.addIssue({ code: 'custom', path: issue.path, message: issue.message });
  }
});

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)], { error: 'must be a string or an array of content blocks' }),
});

const tool = z
  .looseObject({
    name: optional(z.string().min(1).max(128)),
    type: optional(z.string()),
    description: optional(z.string()),
    input_schema: optional(z.record(z.string(), z.unknown())),
  })
  .superRefine(({ name, type }, context) => {
    // Typed tools of Anthropic's may have other fields instead, e.g. the name of a server.
    if (!name && (!type || type === 'custom')) {
      context.addIssue({ code: 'custom', path: ['name'], message: 'is required' });
    }
  });

const toolChoice = z.looseObject({
  type: z.enum(['auto', 'any', 'tool', 'none']),
  name: optional(z.string()),
  disable_parallel_tool_use: optional(z.boolean()),
});

const fields = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z.array(message).min(1).max(MAX_MESSAGES),
  max_tokens: optional(z.int().nonnegative()),
  system: optional(z.union([z.string(), z.array(block)])),
  stop_sequences: optional(z.array(z.string().min(1)).max(64)),
  stream: optional(z.boolean()),
  temperature: optional(z.number().min(0).max(2)),
  top_p: optional(z.number().min(0).max(1)),
  top_k: optional(z.int().nonnegative()),
  tools: optional(z.array(tool).max(1024)),
  tool_choice: optional(toolChoice),
  thinking: optional(
    z.looseObject({
      type: z.enum(['enabled', 'adaptive', 'disabled', 'between_tools']),
      budget_tokens: optional(z.int().min(1024)),
    }),
  ),
  output_config: optional(
    z.looseObject({
      effort: optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
      format: optional(z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) })),
    }),
  ),
  metadata: optional(z.looseObject({ user_id: optional(z.string().max(512)) })),
  cache_control: cacheControl,
});

/**
 * Tools that a provider runs by itself, and fields that change what it charges: nothing here bounds or prices them yet,
 * so a budget could not hold.
 */
const unpricedTools = ['web_fetch_', 'code_execution_', 'advisor_', 'mcp_toolset'];
const unpricedFields = ['mcp_servers', 'container', 'fallbacks'] as const;

/** Fields of the gateway that are not built: refused by name, never accepted and ignored. */
const unbuiltFields = ['provider', 'models', 'plugins', 'transforms'] as const;

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

export const messagesRequestSchema = fields
  .superRefine((body, context) => {
    for (const field of unbuiltFields) {
      if (!isAbsent(body[field])) {
        context.addIssue({ code: 'custom', path: [field], message: 'is not supported by this gateway; leave it out' });
      }
    }
    for (const field of unpricedFields) {
      if (!isAbsent(body[field])) {
        context.addIssue({ code: 'custom', path: [field], message: 'is not supported by this gateway; leave it out' });
      }
    }
    if (body['speed'] === 'fast') {
      context.addIssue({
        code: 'custom',
        path: ['speed'],
        message: 'must be "standard": the catalog has no other price',
      });
    }
    for (const [index, { type }] of (body.tools ?? []).entries()) {
      if (unpricedTools.some((prefix) => type?.startsWith(prefix))) {
        context.addIssue({
          code: 'custom',
          path: ['tools', index, 'type'],
          message: `"${type}" is not supported by this gateway; run the tool yourself, or leave it out`,
        });
      }
      if (type?.startsWith('web_search_')) {
        context.addIssue({
          code: 'custom',
          path: ['tools', index, 'type'],
          message: 'web search is not supported by this gateway; leave the tool out',
        });
      }
    }
    if (body.tool_choice?.type === 'tool' && !body.tool_choice.name) {
      context.addIssue({ code: 'custom', path: ['tool_choice', 'name'], message: 'is required with type "tool"' });
    }
  })
  .transform((body) => {
    const present: Record<string, unknown> = {};
    for (const [field, value] of Object.entries(body)) {
      if (value !== null && !(unbuiltFields as readonly string[]).includes(field)) present[field] = value;
    }
    return present as MessagesRequest;
  });
