/**
 * Strict fakes of Claude at Anthropic, at Amazon Bedrock (InvokeModel) and at Google Cloud, which refuse requests that
 * break known rules of these providers.
 */

import * as z from 'zod';
import {
  ARGUMENTS_SOURCE,
  argumentsFault,
  isBlankText,
  isCircular,
  repeatedIn,
  schemasIn,
  strictFake,
  type Arrived,
  type Rule,
  type StrictFake,
} from './rules.ts';

const docs = 'https://platform.claude.com/docs/en';
const sdkTypes = 'https://github.com/anthropics/anthropic-sdk-typescript/blob/main/src/resources/messages/messages.ts';

type Form = 'adaptive' | 'enabled' | 'disabled' | 'between_tools';

interface ClaudeModel {
  forms: readonly Form[];
  efforts: readonly string[];
  /** Allowed efforts while thinking is off or `between_tools`, if these are fewer than with thinking. */
  effortsDisabled?: readonly string[];
  /** Whether the model thinks if a request has no `thinking`. */
  thinksByDefault: boolean;
  takesSampling: boolean;
  /** Whether a request may force a tool call. If sources differ, the stricter value is used. */
  forcedTools: 'always' | 'without_thinking' | 'never';
  takesPrefill: boolean;
  takesSystemMessages: boolean;
  maxTokens: number;
}

const upToHigh = ['low', 'medium', 'high'];
const allEfforts = [...upToHigh, 'xhigh', 'max'];
const generation45: ClaudeModel = {
  forms: ['enabled', 'disabled'],
  efforts: [],
  thinksByDefault: false,
  takesSampling: true,
  forcedTools: 'without_thinking',
  takesPrefill: true,
  takesSystemMessages: false,
  maxTokens: 64_000,
};
const generation46: ClaudeModel = {
  ...generation45,
  forms: ['adaptive', 'enabled', 'disabled'],
  efforts: [...upToHigh, 'max'],
  takesPrefill: false,
  maxTokens: 128_000,
};
const opus47: ClaudeModel = {
  ...generation46,
  forms: ['adaptive', 'disabled'],
  efforts: allEfforts,
  takesSampling: false,
};
const opus48: ClaudeModel = { ...opus47, takesSystemMessages: true };
/** Model that always thinks; also used for models that are missing in the list below. */
const alwaysThinking: ClaudeModel = {
  ...opus48,
  forms: ['adaptive'],
  thinksByDefault: true,
  forcedTools: 'never',
};

/**
 * Properties by a part of the model's name. Sources: deepnoodle-ai/dive providers/anthropic/capabilities.go,
 * platform.claude.com/docs/en/build-with-claude/effort, and the migration guides of the models.
 */
const models: Record<string, ClaudeModel> = {
  'claude-haiku-4-5': generation45,
  'claude-sonnet-4-5': generation45,
  'claude-opus-4-5': { ...generation45, efforts: upToHigh },
  'claude-sonnet-4-6': generation46,
  'claude-opus-4-6': generation46,
  'claude-opus-4-7': opus47,
  'claude-opus-4-8': opus48,
  'claude-sonnet-5-5': { ...alwaysThinking, forms: ['adaptive', 'between_tools'], effortsDisabled: upToHigh },
  'claude-sonnet-5': { ...opus47, thinksByDefault: true },
  'claude-opus-5-5': alwaysThinking,
  'claude-opus-5': { ...opus48, thinksByDefault: true, effortsDisabled: upToHigh },
  'claude-haiku-5-5': { ...opus48, thinksByDefault: true },
  'claude-fable-5-1': alwaysThinking,
  'claude-fable-5-2': alwaysThinking,
  // Source: https://github.com/withceleste/celeste-python/pull/393
  'claude-fable-5': { ...alwaysThinking, forcedTools: 'always' },
};
const names = Object.keys(models).toSorted((one, other) => other.length - one.length);

function modelOf(id: string): ClaudeModel {
  const name = names.find((one) => id.includes(one));
  return name ? models[name]! : alwaysThinking;
}

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
const marked = { cache_control: cacheControl.nullish() };
const imageSource = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('base64'),
    media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    data: z.base64().max((5 * 1024 * 1024 * 4) / 3),
  }),
  z.strictObject({ type: z.literal('url'), url: z.url() }),
  z.strictObject({ type: z.literal('file'), file_id: z.string() }),
]);
const text = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  ...marked,
});
const image = z.strictObject({ type: z.literal('image'), source: imageSource, ...marked });
const document = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: z.base64() }),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    z.strictObject({ type: z.literal('content'), content: z.union([z.string(), z.array(z.unknown())]) }),
    z.strictObject({ type: z.literal('url'), url: z.url() }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean().optional() }).nullish(),
  ...marked,
});
const callId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: callId,
  name: z.string().min(1).max(200),
  input: z.record(z.string(), z.unknown()),
  ...marked,
});
const toolReference = z.strictObject({ type: z.literal('tool_reference'), tool_name: z.string() });
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: callId,
  content: z
    .union([z.string(), z.array(z.discriminatedUnion('type', [text, image, document, toolReference]))])
    .optional(),
  is_error: z.boolean().nullish(),
  ...marked,
});
const thinking = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const block = z.discriminatedUnion('type', [text, image, document, toolUse, toolResult, thinking, redacted]);
type ClaudeBlock = z.output<typeof block>;

const effort = z.enum(['low', 'medium', 'high', 'xhigh', 'max']);
export const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(block)]),
  clear_at: z.literal('next_user_message').optional(),
  output_config: z.strictObject({ effort }).optional(),
});
const thinkingMembers = {
  display: z.enum(['summarized', 'omitted', 'updates']).optional(),
  block_binding: z.strictObject({ prefix_mismatch_behavior: z.enum(['error', 'drop_block']).optional() }).optional(),
};
const tool = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  defer_loading: z.boolean().optional(),
  input_examples: z.array(z.looseObject({})).optional(),
  ...marked,
});
export const claudeFields = {
  messages: z.array(messageSchema).min(1),
  system: z.union([z.string(), z.array(text)]).optional(),
  max_tokens: z.int().min(1),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  tools: z.array(tool).optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().optional() }),
      z.strictObject({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().optional() }),
      z.strictObject({
        type: z.literal('tool'),
        name: z.string(),
        disable_parallel_tool_use: z.boolean().optional(),
      }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({
        type: z.literal('enabled'),
        budget_tokens: z.int().min(1024),
        ...thinkingMembers,
      }),
      z.strictObject({ type: z.literal('adaptive'), ...thinkingMembers }),
      z.strictObject({ type: z.literal('disabled') }),
      z.strictObject({ type: z.literal('between_tools') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: effort.nullish(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }).nullish(),
      // Least total of the models that support task budgets.
      task_budget: z.strictObject({ type: z.literal('tokens'), total: z.int().min(20_000) }).optional(),
    })
    .optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  cache_control: cacheControl.nullish(),
  context_management: z.looseObject({}).optional(),
};

/** The Messages API refuses unknown fields: "Extra inputs are not permitted". */
const atAnthropic = z.strictObject({
  ...claudeFields,
  model: z.string(),
  stream: z.literal(true),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().optional(),
});
const atBedrock = z.strictObject({
  ...claudeFields,
  anthropic_version: z.literal('bedrock-2023-05-31'),
  anthropic_beta: z.array(z.string()).optional(),
});
const atGoogle = z.strictObject({
  ...claudeFields,
  anthropic_version: z.literal('vertex-2023-10-16'),
  stream: z.literal(true),
});

export type ClaudeBody = z.output<z.ZodObject<typeof claudeFields>>;
type ClaudeRequest = Arrived<ClaudeBody>;

interface ClaudeTurn {
  role: string;
  blocks: ClaudeBlock[];
}

/** Returns the turns of a conversation. Adjacent messages of one role are one turn. */
const blocksOf = ({ read }: ClaudeRequest): ClaudeTurn[] => {
  const turns: ClaudeTurn[] = [];
  for (const { role, content } of read.messages) {
    const blocks: ClaudeBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = turns.at(-1);
    if (last?.role === role) last.blocks = [...last.blocks, ...blocks];
    else turns.push({ role, blocks });
  }
  return turns;
};
const systemOf = ({ read: { system } }: ClaudeRequest): z.output<typeof text>[] =>
  typeof system === 'string' ? [{ type: 'text', text: system }] : (system ?? []);

function thinks({ read, model }: ClaudeRequest): boolean {
  return read.thinking ? read.thinking.type !== 'disabled' : modelOf(model).thinksByDefault;
}

const isForced = ({ read }: ClaudeRequest) => read.tool_choice?.type === 'any' || read.tool_choice?.type === 'tool';

/** Returns the cache marks in the order of the prompt. */
function marksOf(request: ClaudeRequest): { ttl?: string | undefined }[] {
  const said: { cache_control?: z.output<typeof cacheControl> | null | undefined }[] = [
    ...(request.read.tools ?? []),
    ...systemOf(request),
    ...blocksOf(request).flatMap(({ blocks }) =>
      blocks.flatMap((one): typeof said =>
        one.type === 'tool_result' && Array.isArray(one.content)
          ? [...(one.content as typeof said), one]
          : [one as object],
      ),
    ),
    request.read,
  ];
  return said.flatMap(({ cache_control: control }) => (control ? [control] : []));
}

/** Betas of an array or a header. */
const betasIn = ({ read, headers }: ClaudeRequest): string[] =>
  (read as { anthropic_beta?: string[] }).anthropic_beta ?? (headers['anthropic-beta'] ?? '').split(',');

/** Fields that need a beta. */
export const betaFieldsRule: Rule<ClaudeBody> = {
  source: 'https://github.com/BerriAI/litellm/pull/41203',
  refuses: (request) => {
    const { thinking, messages } = request.read;
    const { display, block_binding: binding } = (thinking ?? {}) as { display?: string; block_binding?: object };
    const needs = [
      [binding !== undefined, 'thinking-binding-controls-2026-08-01'],
      [display === 'updates', 'thinking-display-updates-2026-08-18'],
      [messages.some((one) => one.clear_at !== undefined), 'mid-conversation-system-clear-at-2026-08-21'],
      [messages.some((one) => one.output_config !== undefined), '-2026-07-01'],
    ] as const;
    const missing = needs.find(([isSent, beta]) => isSent && !betasIn(request).some((sent) => sent.endsWith(beta)));
    return missing && `a field of ${missing[1]}: Extra inputs are not permitted`;
  },
};

const thinkingRules: Rule<ClaudeBody>[] = [
  {
    source: `${docs}/build-with-claude/thinking`,
    refuses: ({ read, model }) =>
      read.thinking &&
      !modelOf(model).forms.includes(read.thinking.type) &&
      `"thinking.type.${read.thinking.type}" is not supported for this model`,
  },
  {
    source: `${docs}/build-with-claude/effort`,
    refuses: (request) => {
      const { efforts, effortsDisabled = efforts } = modelOf(request.model);
      const asked = request.read.output_config?.effort;
      const type = request.read.thinking?.type;
      const taken = type === 'disabled' || type === 'between_tools' ? effortsDisabled : efforts;
      return asked && !taken.includes(asked) && `output_config.effort: "${asked}" is not supported for this model`;
    },
  },
  {
    source: `${docs}/build-with-claude/extended-thinking`,
    refuses: (request) =>
      request.read.thinking?.type === 'enabled' &&
      request.read.thinking.budget_tokens >= request.read.max_tokens &&
      !betasIn(request).includes('interleaved-thinking-2025-05-14') &&
      '`max_tokens` must be greater than `thinking.budget_tokens`',
  },
  {
    source: `${docs}/models/opus-5-5/whats-new-opus-5-5`,
    refuses: (request) => {
      const { forcedTools } = modelOf(request.model);
      if (!isForced(request) || forcedTools === 'always') return false;
      return (
        (forcedTools === 'never' || thinks(request)) && 'Thinking may not be enabled when tool_choice forces tool use.'
      );
    },
  },
  {
    source: `${docs}/build-with-claude/extended-thinking`,
    refuses: (request) => {
      const { temperature = 1, top_p: topP = 1, top_k: topK } = request.read;
      const isOwn = temperature !== 1 || topP < 0.95 || topK !== undefined;
      return thinks(request) && isOwn && '`temperature` may only be set to 1 when thinking is enabled.';
    },
  },
];

const editRule: Rule<ClaudeBody> = {
  source: 'https://github.com/router-for-me/CLIProxyAPI/issues/4957',
  refuses: (request) =>
    !thinks(request) &&
    JSON.stringify(request.read.context_management ?? {}).includes('clear_thinking_') &&
    '`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive',
};

/** With a thinking budget, the assistant turn with the tool calls before tool results must begin with thinking. */
const turnRule: Rule<ClaudeBody> = {
  source: `${docs}/build-with-claude/extended-thinking`,
  refuses: (request) => {
    if (request.read.thinking?.type !== 'enabled') return false;
    const turns = blocksOf(request).filter(({ role }) => role !== 'system');
    const asked = turns.findLastIndex(
      ({ role, blocks }) => role === 'user' && !blocks.some(({ type }) => type === 'tool_result'),
    );
    const begin = turns.slice(asked + 1).find(({ role }) => role === 'assistant');
    if (!begin || turns.at(-1)?.role !== 'user') return false;
    const found = begin.blocks[0]?.type ?? '';
    return !found.includes('thinking') && `Expected \`thinking\` or \`redacted_thinking\`, but found \`${found}\``;
  },
};

const samplingRules: Rule<ClaudeBody>[] = [
  {
    source: `${docs}/about-claude/models/migration-guide`,
    refuses: ({ read, model }) =>
      !modelOf(model).takesSampling &&
      [read.temperature, read.top_p, read.top_k].some((value) => value !== undefined) &&
      '`temperature` is deprecated for this model.',
  },
  {
    source: `${docs}/models/haiku-4-5/migration-guide`,
    refuses: ({ read }) =>
      read.temperature !== undefined &&
      read.top_p !== undefined &&
      '`temperature` and `top_p` cannot both be specified for this model.',
  },
  {
    source: `${docs}/about-claude/models/overview`,
    refuses: ({ read, model }) =>
      read.max_tokens > modelOf(model).maxTokens && `max_tokens: ${read.max_tokens} > ${modelOf(model).maxTokens}`,
  },
  {
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/454',
    refuses: ({ read }) =>
      read.stop_sequences?.some(isBlankText) && 'stop_sequences: each stop sequence must contain non-whitespace',
  },
];

export const blankRule: Rule<ClaudeBody> = {
  source: 'https://github.com/NousResearch/hermes-agent/pull/63983',
  refuses: (request) =>
    [...systemOf(request), ...blocksOf(request).flatMap(({ blocks }) => blocks)].some(
      (one) => one.type === 'text' && isBlankText(one.text),
    ) && 'messages: text content blocks must contain non-whitespace text',
};

const conversationRules: Rule<ClaudeBody>[] = [
  blankRule,
  {
    source: sdkTypes,
    refuses: (request) =>
      request.read.messages.some(({ content, output_config: output }) => content.length === 0 && !output) &&
      'all messages must have non-empty content',
  },
  {
    source: `${docs}/api/messages`,
    refuses: (request) => {
      const { role, blocks } = blocksOf(request).at(-1)!;
      if (role !== 'assistant') return false;
      if (blocks.at(-1)?.type.includes('thinking')) {
        return 'The final block in an assistant message cannot be `thinking`.';
      }
      if (!modelOf(request.model).takesPrefill || thinks(request)) {
        return 'This model does not support assistant message prefill.';
      }
      const last = blocks.at(-1);
      return (
        last?.type === 'text' &&
        last.text !== last.text.trimEnd() &&
        'final assistant content cannot end with trailing whitespace'
      );
    },
  },
  {
    source: `${docs}/build-with-claude/mid-conversation-system-messages`,
    refuses: ({ read, model }) =>
      !modelOf(model).takesSystemMessages &&
      read.messages.some(({ role }) => role === 'system') &&
      "role 'system' is not supported on this model",
  },
  {
    source: `${docs}/build-with-claude/mid-conversation-system-messages`,
    refuses: ({ read }) => {
      // A message that only sets the effort is accepted at any place.
      const messages = read.messages.filter(({ role, content }) => role !== 'system' || content.length > 0);
      return (
        messages.some(
          ({ role }, index) => role === 'system' && !['user', 'system'].includes(messages[index - 1]?.role ?? ''),
        ) && "role 'system' must follow a user turn"
      );
    },
  },
  {
    source: 'https://github.com/anthropics/claude-code/issues/73821',
    refuses: ({ read: { messages } }) =>
      messages.some(
        ({ role, content }, index) => role === 'system' && content.length > 0 && messages[index + 1]?.role === 'user',
      ) && "role 'system' must precede an 'assistant' message or end the array",
  },
  {
    source: `${docs}/build-with-claude/mid-conversation-system-messages#limitations`,
    refuses: ({ read: { messages } }) =>
      messages.some(
        ({ role, content }, index) =>
          role === 'system' &&
          content.length > 0 &&
          messages[index - 1]?.role === 'system' &&
          messages[index - 1]!.content.length > 0,
      ) && "role 'system' must not follow another message of this role",
  },
  betaFieldsRule,
  {
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/1598',
    refuses: (request) =>
      blocksOf(request).some(({ blocks }) =>
        blocks.some(
          (one) =>
            (one.type === 'thinking' && !isClaudes(one.signature)) ||
            (one.type === 'redacted_thinking' && !isClaudes(one.data)),
        ),
      ) && 'Invalid `signature` in `thinking` block',
  },
  {
    source: `${docs}/build-with-claude/extended-thinking`,
    refuses: (request) =>
      blocksOf(request).some(
        ({ role, blocks }) => role !== 'assistant' && blocks.some(({ type }) => type.includes('thinking')),
      ) && 'thinking blocks may only be in assistant messages',
  },
];

/** Stands for Anthropic's signatures in these tests. */
export const CLAUDES_SIGNATURE = 'EqQBCgIYAhIMstrictfake';

function isClaudes(signature: string): boolean {
  return signature === CLAUDES_SIGNATURE;
}

const toolRules: Rule<ClaudeBody>[] = [
  {
    source: `${docs}/agents-and-tools/tool-use/implement-tool-use`,
    refuses: ({ read }) =>
      repeatedIn((read.tools ?? []).map(({ name }) => name)) && 'tools: Tool names must be unique.',
  },
  {
    source: ARGUMENTS_SOURCE,
    refuses: ({ read }) =>
      read.tools?.map(({ input_schema: schema }) => argumentsFault(schema)).find((fault) => fault !== undefined),
  },
  {
    source: 'https://github.com/decocms/studio/pull/6874',
    refuses: ({ read }) =>
      read.tools?.some(({ input_schema: { properties } }) =>
        Object.keys(properties ?? {}).some((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name)),
      ) && "input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  },
  {
    source: `${docs}/build-with-claude/structured-outputs`,
    refuses: ({ read }) => {
      const held = (read.tools ?? []).filter(({ strict }) => strict === true).map((one) => one.input_schema);
      const format = read.output_config?.format?.schema;
      if ([...held, ...(format ? [format] : [])].some((one) => isCircular(one))) {
        return 'Recursive schemas are not supported';
      }
      return [...held, ...(format ? [format] : [])].map(looseKeyword).find((said) => said !== undefined);
    },
  },
  {
    source: sdkTypes,
    refuses: ({ read }) =>
      read.tool_choice?.type === 'tool' &&
      !read.tools?.some(({ name }) => name === (read.tool_choice as { name: string }).name) &&
      'tool_choice: tool not found in provided tools',
  },
  {
    source: sdkTypes,
    refuses: ({ read }) =>
      read.tool_choice !== undefined &&
      !read.tools?.length &&
      'tool_choice may only be specified while providing tools.',
  },
];

export const callRules: Rule<ClaudeBody>[] = [
  {
    source: `${docs}/agents-and-tools/tool-use/implement-tool-use`,
    refuses: (request) => brokenCalls(blocksOf(request)),
  },
  {
    source: 'https://github.com/vercel/ai/issues/13013',
    refuses: (request) =>
      blocksOf(request).some(({ role, blocks }) => {
        const isLast = (at: number) => /^tool_use$|thinking$/.test(blocks[at + 1]?.type ?? 'tool_use');
        return role === 'assistant' && blocks.some(({ type }, at) => type === 'tool_use' && !isLast(at));
      }) && '`tool_use` ids were found without `tool_result` blocks immediately after',
  },
];

/** Keywords that structured outputs support. */
const keywords = new Set(
  'type title description properties required additionalProperties items enum const anyOf allOf $ref $defs definitions default format minItems pattern'.split(
    ' ',
  ),
);

function looseKeyword(schema: object): string | undefined {
  for (const one of schemasIn(schema)) {
    const unknown = Object.keys(one).find((keyword) => !keywords.has(keyword));
    if (unknown) return `For '${String(one['type'])}' type, property '${unknown}' is not supported`;
    if (one['type'] === 'object' && one['additionalProperties'] !== false) {
      return "For 'object' type, 'additionalProperties' must be explicitly set to false";
    }
  }
  return undefined;
}

function brokenCalls(turns: readonly ClaudeTurn[]): string | undefined {
  const ids = turns.flatMap(({ blocks }) => blocks.flatMap((one) => (one.type === 'tool_use' ? [one.id] : [])));
  if (repeatedIn(ids)) return '`tool_use` ids must be unique';
  for (const [index, { role, blocks }] of turns.entries()) {
    const calls = role === 'assistant' ? blocks.flatMap((one) => (one.type === 'tool_use' ? [one.id] : [])) : [];
    const next = turns[index + 1];
    const results = next?.blocks.flatMap((one) => (one.type === 'tool_result' ? [one.tool_use_id] : [])) ?? [];
    const first = next?.blocks.findIndex(({ type }) => type !== 'tool_result') ?? -1;
    const early = first === -1 ? results : results.slice(0, first);
    if (calls.some((id) => !early.includes(id))) {
      return '`tool_use` ids were found without `tool_result` blocks immediately after';
    }
    const own = blocks.flatMap((one) => (one.type === 'tool_result' ? [one.tool_use_id] : []));
    const before = turns[index - 1]?.blocks.flatMap((one) => (one.type === 'tool_use' ? [one.id] : [])) ?? [];
    if (own.some((id) => !before.includes(id))) return 'unexpected `tool_use_id` found in `tool_result` blocks';
    if (repeatedIn(own)) return 'each tool_use must have a single result';
  }
  return undefined;
}

const errorRule: Rule<ClaudeBody> = {
  source: 'https://github.com/caozhiyuan/copilot-api/pull/196',
  refuses: (request) =>
    blocksOf(request).some(({ blocks }) =>
      blocks.some(
        (one) =>
          one.type === 'tool_result' &&
          one.is_error === true &&
          Array.isArray(one.content) &&
          one.content.some(({ type }) => type !== 'text'),
      ),
    ) && 'all content must be type "text" if "is_error" is true',
};

const cacheRules: Rule<ClaudeBody>[] = [
  {
    source: 'https://github.com/anthropics/claude-code/issues/86743',
    refuses: ({ read: { tools = [] } }) =>
      tools.some((one) => one.defer_loading === true && one.cache_control) &&
      'Tools with defer_loading cannot use prompt caching.',
  },
  {
    source: `${docs}/build-with-claude/prompt-caching`,
    refuses: (request) => marksOf(request).length > 4 && 'A maximum of 4 blocks with cache_control may be provided.',
  },
  {
    source: `${docs}/build-with-claude/prompt-caching`,
    refuses: (request) => {
      const lives = marksOf(request).map(({ ttl }) => ttl ?? '5m');
      const short = lives.indexOf('5m');
      return (
        short !== -1 && lives.slice(short).includes('1h') && "a ttl='1h' block must not come after a ttl='5m' block"
      );
    },
  },
];

const rules = [
  ...thinkingRules,
  turnRule,
  editRule,
  errorRule,
  ...samplingRules,
  ...conversationRules,
  ...toolRules,
  ...callRules,
  ...cacheRules,
];

/** Images and documents may not be URLs or file ids. Further source: Google's page. */
const onlyBase64: Rule<ClaudeBody> = {
  source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
  refuses: (request) =>
    blocksOf(request).some(({ blocks }) =>
      blocks.some((one) => 'source' in one && (one.source.type === 'url' || one.source.type === 'file')),
    ) && 'source.type: Input should be base64',
};

/** Only blocks may have cache marks. */
const noAutomaticCaching: Rule<ClaudeBody> = {
  source: 'https://github.com/UKGovernmentBEIS/inspect_ai/pull/3851',
  refuses: ({ read }) => read.cache_control && 'cache_control: Extra inputs are not permitted',
};

const noLongToolNames: Rule<ClaudeBody> = {
  source: 'https://github.com/tableau/tableau-mcp/issues/494',
  refuses: ({ read: { tools = [] } }) =>
    tools.some(({ name }) => name.length > 64) && 'tools.0.custom.name: String should have at most 64 characters',
};

const headerRule: Rule<ClaudeBody> = {
  source: `${docs}/api/versioning`,
  refuses: ({ headers }) => !headers['anthropic-version'] && 'anthropic-version: header is required',
};

const noBudgetWithoutBeta: Rule<ClaudeBody> = {
  source: `${docs}/build-with-claude/task-budgets`,
  refuses: ({ read: { output_config: output }, headers }) =>
    output?.task_budget !== undefined &&
    !headers['anthropic-beta']?.includes('task-budgets-2026-03-13') &&
    'output_config.task_budget: Extra inputs are not permitted',
};

const EXAMPLES_REFUSED = 'tools.0.custom.input_examples: Extra inputs are not permitted';
const hasExamples = ({ read: { tools = [] } }: ClaudeRequest) => tools.some((one) => one.input_examples !== undefined);

/**
 * Models of Bedrock and Google Cloud that know the beta interleaved-thinking, from
 * https://platform.claude.com/docs/en/build-with-claude/extended-thinking, without those for which users report an error
 * (https://github.com/earendil-works/pi/pull/3290).
 */
const thinksBetweenCalls = /(?:opus|sonnet)-4-[56]/;

const betaRules: Rule<ClaudeBody>[] = [
  {
    source: 'https://github.com/anthropics/claude-code/issues/49648',
    refuses: (request) =>
      betasIn(request).includes('interleaved-thinking-2025-05-14') &&
      !thinksBetweenCalls.test(request.model) &&
      'invalid beta flag',
  },
];

const bedrockBetas: Rule<ClaudeBody>[] = [
  {
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
    refuses: (request) =>
      betasIn(request).some((beta) => !/^$|^interleaved-thinking-|^computer-use-|^effort-/.test(beta)) &&
      'invalid beta flag',
  },
  {
    source: 'https://github.com/coder/coder/issues/25356',
    refuses: (request) => {
      const isSent = betasIn(request).some((beta) => beta.startsWith('effort-'));
      const isNeeded = request.read.output_config?.effort != null && request.model.includes('opus-4-5');
      if (isSent && !request.model.includes('opus-4-5')) return 'invalid beta flag';
      return isNeeded && !isSent && 'output_config.effort: Extra inputs are not permitted';
    },
  },
];

/** Bedrock's own copy of the Messages API has no schemas for answers and no strict tools since Opus 4.7. */
const noSchemasOfBedrock: Rule<ClaudeBody> = {
  source: 'https://github.com/vercel/ai/issues/14773',
  refuses: ({ read: { output_config: output, tools = [] }, model }) => {
    if (!/opus-4-[78]|(?:opus|fable|sonnet|haiku)-5/.test(model)) return false;
    if (output?.format) return 'output_config.format: Extra inputs are not permitted';
    return tools.some(({ strict }) => strict === true) && 'tools.0.custom.strict: Extra inputs are not permitted';
  },
};

const noSystemMessages: Rule<ClaudeBody> = {
  source: `${docs}/build-with-claude/mid-conversation-system-messages`,
  refuses: ({ read }) => read.messages.some(({ role }) => role === 'system') && "role 'system' is not supported",
};

/**
 * Only Anthropic and Google Cloud support tools with deferred loading, and fields that clear old parts of a prompt.
 */
export const noAgentFields: Rule<ClaudeBody> = {
  source: 'https://github.com/anthropics/claude-code/issues/82549',
  refuses: (request) => {
    const { context_management: clearing, tools = [] } = request.read;
    if (clearing) return 'context_management: Extra inputs are not permitted';
    if (tools.some((one) => one.defer_loading !== undefined)) return 'defer_loading: Extra inputs are not permitted';
    if (hasExamples(request)) return EXAMPLES_REFUSED;
    const said = blocksOf(request).flatMap(({ blocks }): { type: string; content?: unknown }[] => blocks);
    const inside = said.flatMap(({ content }) => (Array.isArray(content) ? (content as { type?: unknown }[]) : []));
    return inside.some(({ type }) => type === 'tool_reference') && 'tool_reference: does not match any expected tag';
  },
};

export const anthropicFake: StrictFake = strictFake<ClaudeBody>(atAnthropic, [
  ...rules,
  noBudgetWithoutBeta,
  headerRule,
]);
export const bedrockInvokeFake: StrictFake = strictFake<ClaudeBody>(atBedrock, [
  ...rules,
  noBudgetWithoutBeta,
  onlyBase64,
  noSystemMessages,
  noAgentFields,
  noAutomaticCaching,
  noLongToolNames,
  noSchemasOfBedrock,
  ...betaRules,
  ...bedrockBetas,
]);

/** Betas that Google Cloud knows, from https://github.com/BerriAI/litellm (anthropic_beta_headers_config.json). */
const betasAtGoogle = new Set([
  'compact-2026-01-12',
  'compact-2026-09-04',
  'computer-use-2025-01-24',
  'computer-use-2025-11-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'dangerous-tool-use-2026-09-03',
  'interleaved-thinking-2025-05-14',
  'per-turn-control-2026-07-01',
  'thinking-binding-controls-2026-08-01',
  'thinking-display-updates-2026-08-18',
  'tool-search-tool-2025-10-19',
  'web-search-2025-03-05',
]);
const rulesOfGoogle: Rule<ClaudeBody>[] = [
  {
    source: 'https://github.com/anthropics/claude-code/issues/21625',
    refuses: ({ headers }) => {
      const unknown = (headers['anthropic-beta'] ?? '').split(',').filter((beta) => beta && !betasAtGoogle.has(beta));
      return unknown.length > 0 && `Unexpected value(s) ${unknown.join(', ')} for the \`anthropic-beta\` header`;
    },
  },
  {
    source: 'https://github.com/anthropics/claude-agent-sdk-python/issues/694',
    refuses: ({ read: { tools = [] } }) =>
      tools.some((one) => 'eager_input_streaming' in one) &&
      'tools.0.custom.eager_input_streaming: Extra inputs are not permitted',
  },
  {
    source: `${docs}/agents-and-tools/tool-use/implement-tool-use`,
    refuses: (request) => hasExamples(request) && EXAMPLES_REFUSED,
  },
  ...betaRules,
];
export const vertexClaudeFake: StrictFake = strictFake<ClaudeBody>(atGoogle, [
  ...rules,
  ...rulesOfGoogle,
  noBudgetWithoutBeta,
  onlyBase64,
  noSystemMessages,
  noAutomaticCaching,
]);

/** Rules of this file, for the test that checks that each rule has a source. */
export const anthropicRules: readonly Rule<ClaudeBody>[] = [
  ...rules,
  ...rulesOfGoogle,
  noBudgetWithoutBeta,
  onlyBase64,
  headerRule,
  noSystemMessages,
  noAgentFields,
  noAutomaticCaching,
  noLongToolNames,
  noSchemasOfBedrock,
  ...bedrockBetas,
];
