/** Strict fakes of chat completions: each provider's fields and rules. */

import * as z from 'zod';
import {
  ARGUMENTS_SOURCE,
  argumentsFault,
  enforcedFlavor,
  fireworksFlavor,
  isBlankText,
  moonshotFlavor,
  repeatedIn,
  schemaIds,
  schemasIn,
  strictFake,
  type Arrived,
  type Rule,
  type StrictFake,
  type JsonObject,
  xaiImages,
} from './rules.ts';

const openapi = 'https://github.com/openai/openai-openapi/blob/master/openapi.yaml';

const textPart = z.strictObject({ type: z.literal('text'), text: z.string().min(1) });
const imagePart = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string().min(1), detail: z.enum(['auto', 'low', 'high']).optional() }),
});
const filePart = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: z.string().optional(), file_data: z.string() }),
});
const audioPart = z.strictObject({ type: z.literal('input_audio'), input_audio: z.looseObject({}) });
const parts = z.array(z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart])).min(1);
const call = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.union([z.string().min(1), z.array(textPart).min(1)]) }),
  z.strictObject({ role: z.literal('developer'), content: z.union([z.string().min(1), z.array(textPart).min(1)]) }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string().min(1), parts]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullish(),
    tool_calls: z.array(call).min(1).optional(),
    reasoning_content: z.string().optional(),
    prefix: z.literal(true).optional(),
    images: z.array(imagePart).min(1).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.union([z.string().min(1), parts]) }),
]);
const tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string().min(1).optional(),
    parameters: z.looseObject({}),
    strict: z.boolean().optional(),
  }),
});
const effort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']);

const allFields = {
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.literal(true),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().nonnegative().optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  repetition_penalty: z.number().optional(),
  min_p: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  random_seed: z.int().optional(),
  logit_bias: z.record(z.string().regex(/^\d+$/), z.number().min(-100).max(100)).optional(),
  logprobs: z.literal(true).optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
  stop: z.array(z.string().min(1)).min(1).optional(),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({
          name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
          schema: z.looseObject({}),
          strict: z.boolean().optional(),
        }),
      }),
    ])
    .optional(),
  reasoning_effort: effort.optional(),
  reasoning: z.looseObject({}).optional(),
  reasoning_format: z.literal('parsed').optional(),
  enable_thinking: z.boolean().optional(),
  thinking_budget: z.int().positive().optional(),
  thinking: z.strictObject({ type: z.enum(['enabled', 'disabled']) }).optional(),
  user: z.string().max(64).optional(),
  prompt_cache_key: z.string().min(1).max(64).optional(),
  service_tier: z.literal('default').optional(),
  modalities: z
    .array(z.enum(['text', 'image', 'audio']))
    .min(1)
    .optional(),
  audio: z
    .strictObject({ voice: z.string().min(1), format: z.enum(['wav', 'mp3', 'flac', 'opus', 'pcm16']) })
    .optional(),
  image_config: z.strictObject({ aspect_ratio: z.string().optional(), image_size: z.string().optional() }).optional(),
};
type Field = keyof typeof allFields;
const schemaOfAll = z.strictObject(allFields);
type ChatBody = z.output<typeof schemaOfAll>;
type ChatArrived = Arrived<ChatBody>;

const common: Field[] = [
  ...(['model', 'messages', 'stream', 'max_tokens', 'temperature', 'top_p', 'stop', 'tools', 'tool_choice'] as const),
  'response_format',
];
const usual: Field[] = [...common, 'stream_options', 'parallel_tool_calls', 'frequency_penalty', 'presence_penalty'];

const isForced = ({ read }: ChatArrived) => read.tool_choice === 'required' || typeof read.tool_choice === 'object';

const everyChat: Rule<ChatBody>[] = [
  { source: openapi, refuses: ({ read }) => brokenChatCalls(read.messages) },
  {
    source: 'https://github.com/BerriAI/litellm/pull/22979',
    refuses: ({ read }) =>
      read.messages.some(({ content }) => isBlankText(content)) && 'messages: content must not be blank',
  },
  {
    source: openapi,
    refuses: ({ read }) =>
      read.messages.some((one) => one.role === 'assistant' && !one.content && !one.tool_calls) &&
      'an assistant message needs content or tool_calls',
  },
  {
    source: openapi,
    refuses: ({ read }) => repeatedIn((read.tools ?? []).map((one) => one.function.name)) && 'tools: names repeat',
  },
  {
    source: openapi,
    refuses: ({ read }) => {
      const { tool_choice: choice, tools = [] } = read;
      if (choice === undefined) return false;
      if (tools.length === 0) return 'tool_choice is only allowed when tools are specified';
      return (
        typeof choice === 'object' &&
        !tools.some((one) => one.function.name === choice.function.name) &&
        'tool_choice: no such tool'
      );
    },
  },
  {
    source: openapi,
    refuses: ({ read }) =>
      read.parallel_tool_calls !== undefined && !read.tools && 'parallel_tool_calls is only allowed with tools',
  },
  {
    source: openapi,
    refuses: ({ read }) =>
      read.top_logprobs !== undefined && !read.logprobs && 'top_logprobs needs logprobs to be true',
  },
  {
    source: ARGUMENTS_SOURCE,
    refuses: ({ read }) =>
      read.tools?.map((one) => argumentsFault(one.function.parameters)).find((fault) => fault !== undefined),
  },
  {
    source: 'https://github.com/ultimatejimmy/xray.koplugin/issues/33',
    refuses: ({ read: { messages, response_format: format } }) =>
      format?.type === 'json_object' &&
      !/json/i.test(JSON.stringify(messages)) &&
      "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  },
  {
    source: 'https://platform.openai.com/docs/guides/structured-outputs',
    refuses: ({ read }) =>
      enforcedSchemas(read).some(isOpenSchema) && "'additionalProperties' is required to be supplied and to be false",
  },
];

/** Whether a part of a strict schema has a keyword that Cerebras rejects. */
function isBeyondCerebras(part: JsonObject): boolean {
  const limits = ['format', 'pattern', 'minLength', 'maxLength', 'minItems', 'maxItems'];
  return Array.isArray(part['type']) || limits.some((keyword) => keyword in part);
}

function isOpenSchema(schema: object): boolean {
  return [...schemasIn(schema)].some((one) => {
    if (one['type'] !== 'object') return false;
    const names = Object.keys(one['properties'] ?? {});
    const required = (one['required'] ?? []) as string[];
    return one['additionalProperties'] !== false || names.some((name) => !required.includes(name));
  });
}

function brokenChatCalls(messages: ChatBody['messages']): string | undefined {
  const ids = messages.flatMap((one) => (one.role === 'assistant' ? (one.tool_calls ?? []).map(({ id }) => id) : []));
  if (repeatedIn(ids)) return 'Duplicate value for tool_call_id';
  let open: string[] = [];
  for (const one of messages) {
    if (one.role === 'tool') {
      if (!open.includes(one.tool_call_id))
        return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'";
      open = open.filter((id) => id !== one.tool_call_id);
      continue;
    }
    if (open.length > 0) return "An assistant message with 'tool_calls' must be followed by tool messages";
    open = one.role === 'assistant' ? (one.tool_calls ?? []).map(({ id }) => id) : [];
  }
  return open.length > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages" : undefined;
}

const maxStops = (most: number, source: string): Rule<ChatBody> => ({
  source,
  refuses: ({ read }) => (read.stop?.length ?? 0) > most && `stop: at most ${most}`,
});
const callIds = (pattern: RegExp, source: string): Rule<ChatBody> => ({
  source,
  refuses: ({ read }) =>
    read.messages.some((one) => one.role === 'assistant' && one.tool_calls?.some(({ id }) => !pattern.test(id))) &&
    'tool_calls.id: string does not match the pattern',
});
const noForcedToolWhileThinking = (thinks: (request: ChatArrived) => boolean, source: string): Rule<ChatBody> => ({
  source,
  refuses: (request) => isForced(request) && thinks(request) && 'Thinking mode does not support this tool_choice',
});
type NumberField =
  | 'temperature'
  | 'top_p'
  | 'top_k'
  | 'frequency_penalty'
  | 'presence_penalty'
  | 'repetition_penalty'
  | 'seed'
  | 'random_seed'
  | 'top_logprobs';
const within = (field: NumberField, least: number, most: number, source: string): Rule<ChatBody> => ({
  source,
  refuses: ({ read }) => {
    const value = read[field];
    return value !== undefined && (value < least || value > most) && `${field}: must be from ${least} to ${most}`;
  },
});
const choices = (taken: readonly string[], source: string): Rule<ChatBody> => ({
  source,
  refuses: ({ read: { tool_choice: choice } }) =>
    choice !== undefined &&
    !taken.includes(typeof choice === 'object' ? 'named' : choice) &&
    'tool_choice: not supported',
});
const efforts = (taken: (model: string) => readonly string[] | undefined, source: string): Rule<ChatBody> => ({
  source,
  refuses: ({ read, model }) => {
    const values = taken(model);
    return (
      read.reasoning_effort !== undefined &&
      values &&
      !values.includes(read.reasoning_effort) &&
      `reasoning_effort: "${read.reasoning_effort}" is not supported with "${model}"`
    );
  },
});

/** Rule of models that decide themselves how many tools they call, and refuse the field for that. */
const noParallelField = {
  source: 'https://github.com/run-llama/llama_index/issues/20865',
  refuses: ({ read, model }: ChatArrived) =>
    read.parallel_tool_calls !== undefined && /^o\d/.test(model) && "Unsupported parameter: 'parallel_tool_calls'",
};

const openaiIds = callIds(/^.{1,40}$/, openapi);
const openaiReasons = (model: string) => /^(o\d|gpt-5)/.test(model);
const enforcedSchemas = ({ tools = [], response_format: format }: ChatBody): JsonObject[] => [
  ...tools.filter((one) => one.function.strict).map((one) => one.function.parameters),
  ...(format?.type === 'json_schema' && format.json_schema.strict ? [format.json_schema.schema] : []),
];
const firstFault = (schemas: readonly JsonObject[], flavor: { faultIn(schema: JsonObject): string | undefined }) =>
  schemas.map((schema) => flavor.faultIn(schema)).find((fault) => fault !== undefined);

const openaiRules: Rule<ChatBody>[] = [
  openaiIds,
  schemaIds,
  {
    source: enforcedFlavor.source,
    refuses: ({ read }) => firstFault(enforcedSchemas(read), enforcedFlavor),
  },
  noParallelField,
  maxStops(4, openapi),
  {
    source: 'https://platform.openai.com/docs/guides/reasoning',
    refuses: ({ read, model }) =>
      openaiReasons(model) &&
      (
        [
          ...(['temperature', 'top_p', 'frequency_penalty', 'presence_penalty', 'stop', 'max_tokens'] as const),
          ...(['logit_bias', 'logprobs', 'top_logprobs'] as const),
        ] as const
      ).find((name) => read[name] !== undefined),
  },
  {
    source: 'https://developers.openai.com/api/docs/guides/audio',
    refuses: ({ read: { modalities = ['text'], audio, messages }, model }) => {
      const isSpoken = modalities.includes('audio');
      if (modalities.includes('image') || (isSpoken && !/audio/.test(model))) return 'modalities: not supported';
      if (isSpoken !== (audio !== undefined)) return 'audio: is required with the modality "audio", and only then';
      if (audio && audio.format !== 'pcm16') return `audio.format: "${audio.format}" is not supported with stream`;
      const hasRecording = JSON.stringify(messages).includes('"input_audio"');
      return (
        /audio/.test(model) &&
        !isSpoken &&
        !hasRecording &&
        'This model requires that either input content or output modality contain audio.'
      );
    },
  },
  {
    source: 'https://developers.openai.com/api/docs/models/gpt-audio-1.5',
    refuses: ({ read: { messages, response_format: format }, model }) =>
      /audio/.test(model) &&
      (format !== undefined || /"type":"(?:image_url|file)"/.test(JSON.stringify(messages))) &&
      'structured outputs, images and files are not supported',
  },
  {
    source: 'https://github.com/openai/openai-node/issues/1610',
    refuses: ({ read, model }) =>
      read.verbosity !== undefined &&
      read.verbosity !== 'medium' &&
      (!/^gpt-[56]/.test(model) || /chat|codex|pro/.test(model)) &&
      `verbosity: "${read.verbosity}" is not supported with "${model}"`,
  },
  efforts(
    (model) => (model.includes('chat-latest') ? ['medium'] : openaiReasons(model) ? ['low', 'medium', 'high'] : []),
    'https://platform.openai.com/docs/guides/reasoning',
  ),
];
const openaiFields: Field[] = [
  ...(['max_completion_tokens', 'reasoning_effort', 'user', 'service_tier', 'prompt_cache_key'] as const),
  ...(['seed', 'logit_bias', 'logprobs', 'top_logprobs', 'verbosity', 'modalities', 'audio'] as const),
  ...usual,
];

const mistralDocs = 'https://docs.mistral.ai/api/endpoint/chat';
const deepseekDocs = 'https://api-docs.deepseek.com/api/create-chat-completion';
const moonshotDocs = 'https://platform.moonshot.ai/docs/api/chat';
const zaiDocs = 'https://docs.z.ai/api-reference/llm/chat-completion';
const alibabaDocs = 'https://www.alibabacloud.com/help/en/model-studio/qwen-api-reference';
const cohereChatDocs = 'https://docs.cohere.com/reference/chat';
const cohereDocs = 'https://docs.cohere.com/docs/compatibility-api';
const groqDocs = 'https://console.groq.com/docs/api-reference';
const cerebrasDocs = 'https://inference-docs.cerebras.ai/api-reference/chat-completions';
const fireworksDocs = 'https://docs.fireworks.ai/api-reference/post-chatcompletions';
const xaiDocs = 'https://docs.x.ai/docs/api-reference';

/** Maximum thinking budgets by model; all other models have 38,912. Source: anomalyco/models.dev#2365 and #2366. */
const alibabaBudgets: [models: RegExp, mostTokens: number][] = [
  [/^qwen3\.7|^qwen4/, 262_144],
  [/^qwen3\.6-(?!plus)/, 131_072],
  [/^qwen(?:3\.[56])?-plus$|^qwen-flash$|^qwen3-vl-plus$|^qwen3\.5-/, 81_920],
];

/** Whether the last message is an assistant message that is not marked as the beginning of the answer. */
function isBegun({ messages }: ChatBody): boolean {
  const last = messages.at(-1)!;
  return last.role === 'assistant' && last.prefix !== true;
}

interface ChatProvider {
  fields: Field[];
  rules: Rule<ChatBody>[];
}

const hosted: Field[] = [...usual, 'top_k', 'repetition_penalty', 'reasoning_effort', 'reasoning'];
const MAX_INT32 = 2 ** 31 - 1;

const providers: Record<string, ChatProvider> = {
  openai: { fields: openaiFields, rules: openaiRules },
  azure: { fields: openaiFields, rules: openaiRules },
  deepseek: {
    fields: [...usual, 'thinking', 'reasoning_effort', 'logprobs', 'top_logprobs'],
    rules: [
      maxStops(16, deepseekDocs),
      {
        source: 'https://api-docs.deepseek.com/guides/reasoning_model',
        refuses: ({ read }) =>
          read.logprobs && read.thinking?.type !== 'disabled' && 'logprobs: not supported in thinking mode',
      },
      noForcedToolWhileThinking(
        ({ read }) => read.thinking?.type !== 'disabled',
        'https://github.com/BerriAI/litellm/pull/37470',
      ),
      {
        source: 'https://api-docs.deepseek.com/guides/thinking_mode',
        refuses: ({ read }) =>
          read.thinking?.type !== 'disabled' &&
          (read.tools !== undefined || read.messages.some((one) => one.role === 'assistant' && one.tool_calls)) &&
          read.messages.some((one) => one.role === 'assistant' && !one.reasoning_content) &&
          'The reasoning_content in the thinking mode must be passed back to the API',
      },
    ],
  },
  alibaba: {
    fields: [
      ...usual.filter((field) => field !== 'frequency_penalty'),
      ...(['enable_thinking', 'thinking_budget', 'top_k', 'repetition_penalty', 'seed'] as const),
    ],
    rules: [
      within('seed', 0, MAX_INT32, alibabaDocs),
      {
        source: alibabaDocs,
        refuses: ({ read }) => (read.repetition_penalty ?? 1) <= 0 && 'repetition_penalty: must be greater than 0',
      },
      {
        source: 'https://github.com/CherryHQ/cherry-studio/issues/7263',
        refuses: ({ read, model }) => {
          const most = alibabaBudgets.find(([models]) => models.test(model))?.[1] ?? 38_912;
          return (
            (read.thinking_budget ?? 0) > most &&
            `The thinking_budget parameter must be a positive integer and not greater than ${most}`
          );
        },
      },
      choices(['auto', 'none', 'named'], alibabaDocs),
      noForcedToolWhileThinking(
        ({ read }) => read.enable_thinking === true,
        'https://github.com/cloudwego/eino/issues/994',
      ),
      {
        source: 'https://github.com/presenton/presenton/issues/184',
        refuses: ({ read }) =>
          read.enable_thinking === true &&
          read.response_format &&
          'Json mode response is not supported when enable_thinking is true',
      },
      {
        source: alibabaDocs,
        refuses: ({ read }) =>
          ((read.temperature ?? 0) >= 2 || read.top_p === 0) && 'temperature must be below 2, top_p above 0',
      },
    ],
  },
  mistral: {
    fields: [
      ...usual.filter((field) => field !== 'stream_options'),
      'reasoning_effort',
      'random_seed',
      'prompt_cache_key',
    ],
    rules: [
      within('random_seed', 0, Infinity, mistralDocs),
      callIds(/^[a-zA-Z0-9]{9}$/, mistralDocs),
      within('temperature', 0, 1.5, mistralDocs),
      {
        source: 'https://github.com/mistralai/client-python/issues/97',
        refuses: ({ read: { messages } }) =>
          messages.some(({ role }, index) => role === 'user' && messages[index - 1]?.role === 'tool') &&
          "Unexpected role 'user' after role 'tool'",
      },
      {
        source: mistralDocs,
        refuses: ({ read }) => read.top_p === 0 && 'top_p: must be greater than 0',
      },
      {
        source: 'https://github.com/devoxx/DevoxxGenieIDEAPlugin/issues/338',
        refuses: ({ read }) =>
          read.temperature === 0 && (read.top_p ?? 1) !== 1 && 'top_p must be 1 when using greedy sampling',
      },
      {
        source: 'https://github.com/mistralai/client-python/issues/234',
        refuses: ({ read }) => isBegun(read) && 'Expected last role User or Tool for serving but got assistant',
      },
    ],
  },
  xai: {
    fields: [...usual, 'max_completion_tokens', 'reasoning_effort', 'seed'],
    rules: [
      maxStops(4, xaiDocs),
      within(
        'seed',
        -MAX_INT32 - 1,
        MAX_INT32,
        'https://github.com/xai-org/xai-proto/blob/main/proto/xai/api/v1/chat.proto',
      ),
      {
        source: xaiDocs,
        refuses: ({ read, model }) =>
          read.stop && !model.includes('non-reasoning') && 'stop is not supported by reasoning models',
      },
      xaiImages,
      {
        source: 'https://github.com/miaoxworld/NativeTavern/issues/83',
        refuses: ({ read, model }) =>
          (read.frequency_penalty !== undefined || read.presence_penalty !== undefined) &&
          `Model ${model} does not support parameter presencePenalty.`,
      },
    ],
  },
  moonshotai: {
    fields: [...usual, 'max_completion_tokens', 'thinking', 'reasoning_effort', 'prompt_cache_key'],
    rules: [
      maxStops(5, moonshotDocs),
      {
        source: 'https://github.com/enricoros/big-AGI/issues/1161',
        refuses: ({ body }) => /"image_url":\{"url":"https?:/.test(body) && 'unsupported image url',
      },
      {
        source: moonshotFlavor.source,
        refuses: ({ read }) =>
          firstFault(
            [
              ...(read.tools ?? []).map((one) => one.function.parameters),
              ...(read.response_format?.type === 'json_schema' ? [read.response_format.json_schema.schema] : []),
            ],
            moonshotFlavor,
          ),
      },
      {
        source: 'https://github.com/MoonshotAI/kimi-cli/issues/2531',
        refuses: ({ read }) =>
          read.tools?.some((one) => !/^[a-zA-Z]/.test(one.function.name)) &&
          'function name is invalid, must start with a letter',
      },
      within('temperature', 0, 1, moonshotDocs),
      noForcedToolWhileThinking(
        ({ read, model }) =>
          /k3/.test(model)
            ? typeof read.tool_choice === 'object'
            : read.thinking?.type !== 'disabled' && !/0905|0711/.test(model),
        'https://github.com/UKGovernmentBEIS/inspect_ai/pull/5152',
      ),
      {
        source: 'https://github.com/HKUDS/nanobot/issues/3939',
        refuses: ({ read }) =>
          read.thinking && read.reasoning_effort && "cannot specify both 'thinking' and 'reasoning_effort'",
      },
      {
        source: 'https://github.com/OnesoftQwQ/opencode-go-copilot/issues/1',
        refuses: ({ read, model }) =>
          read.thinking?.type !== 'disabled' &&
          !/0905|0711/.test(model) &&
          read.messages.some((one) => one.role === 'assistant' && one.tool_calls && !one.reasoning_content) &&
          'thinking is enabled but reasoning_content is missing in assistant tool call message',
      },
    ],
  },
  zai: {
    fields: [...common, 'stream_options', 'thinking', 'reasoning_effort'],
    rules: [
      maxStops(1, zaiDocs),
      choices(['auto'], zaiDocs),
      within('temperature', 0, 1, zaiDocs),
      within('top_p', 0.01, 1, zaiDocs),
    ],
  },
  cohere: {
    fields: [
      ...usual.filter((field) => field !== 'stream_options' && field !== 'parallel_tool_calls'),
      ...(['reasoning_effort', 'seed'] as const),
    ],
    rules: [
      {
        source: cohereChatDocs,
        refuses: ({ read }) => read.tools && read.response_format && 'response_format: not supported with tools',
      },
      within('seed', 0, Infinity, cohereChatDocs),
      within('frequency_penalty', 0, 1, cohereChatDocs),
      within('presence_penalty', 0, 1, cohereChatDocs),
      choices(['required', 'none'], cohereDocs),
      efforts(() => ['none', 'high'], cohereDocs),
      maxStops(5, cohereDocs),
      within('temperature', 0, 1, cohereDocs),
      within('top_p', 0.01, 0.99, cohereDocs),
    ],
  },
  groq: {
    fields: [
      ...usual.filter((field) => field !== 'frequency_penalty' && field !== 'presence_penalty'),
      ...(['max_completion_tokens', 'reasoning_effort', 'reasoning_format', 'seed'] as const),
    ],
    rules: [
      maxStops(4, groqDocs),
      {
        source: 'https://github.com/vercel/ai/pull/16540',
        refuses: ({ read }) =>
          read.tools && read.response_format && 'json mode cannot be combined with tool/function calling',
      },
    ],
  },
  cerebras: {
    fields: [
      ...usual,
      ...(['max_completion_tokens', 'reasoning_effort', 'reasoning_format'] as const),
      ...(['seed', 'logit_bias', 'logprobs', 'top_logprobs'] as const),
    ],
    rules: [
      maxStops(4, cerebrasDocs),
      within('temperature', 0, 1.5, cerebrasDocs),
      {
        source: 'https://github.com/mpfaffenberger/code_puppy/pull/368',
        refuses: ({ read: { tools = [] } }) =>
          tools.some((one) => one.function.strict) &&
          !tools.every((one) => one.function.strict) &&
          "Tools with mixed values for 'strict' are not allowed.",
      },
      {
        source: 'https://inference-docs.cerebras.ai/capabilities/structured-outputs',
        refuses: ({ read }) =>
          enforcedSchemas(read).some((schema) => [...schemasIn(schema)].some(isBeyondCerebras)) &&
          'Unsupported JSON schema fields',
      },
      {
        source:
          'https://github.com/burin-labs/harn/blob/main/crates/harn-vm/src/llm/capability_sources/20-providers/80-cerebras.toml',
        refuses: ({ read }) => read.tools && read.response_format && '"tools" is incompatible with "response_format"',
      },
    ],
  },
  'fireworks-ai': {
    fields: [...hosted, 'seed', 'min_p', 'logit_bias', 'logprobs', 'top_logprobs', 'prompt_cache_key'],
    rules: [
      maxStops(4, fireworksDocs),
      within('top_k', 0, 100, fireworksDocs),
      within('top_logprobs', 0, 5, fireworksDocs),
      {
        source: fireworksFlavor.source,
        refuses: ({ read: { tools = [], response_format: format } }) =>
          firstFault(
            [
              ...tools.map((one) => one.function.parameters),
              ...(format?.type === 'json_schema' ? [format.json_schema.schema] : []),
            ],
            fireworksFlavor,
          ),
      },
      {
        source:
          'https://github.com/umbraco/Umbraco.AI/blob/dev/Umbraco.AI.FireworksAI/src/Umbraco.AI.FireworksAI/FireworksAIStructuredOutputChatClient.cs',
        refuses: ({ read }) =>
          read.tools && read.response_format && 'You cannot specify response format and function call at the same time',
      },
    ],
  },
  deepinfra: {
    fields: [...hosted, 'seed', 'min_p', 'logprobs'],
    rules: [
      maxStops(16, 'https://deepinfra.com/docs/openai_api'),
      within('repetition_penalty', 0.01, 5, 'https://docs.deepinfra.com/api-reference/openai-chat-completions-1'),
    ],
  },
  togetherai: { fields: [...hosted, 'seed', 'min_p', 'logit_bias'], rules: [] },
  nebius: { fields: hosted, rules: [] },
  openrouter: {
    fields: [...hosted, 'seed'],
    rules: [
      {
        source: 'https://github.com/musistudio/claude-code-router/issues/1215',
        refuses: ({ read, model }) =>
          read.reasoning?.['enabled'] === false &&
          /gpt-oss|deepseek-r1|minimax-m2/.test(model) &&
          'Reasoning is mandatory for this endpoint and cannot be disabled.',
      },
    ],
  },
  ollama: {
    fields: [...usual, 'seed', 'reasoning_effort'],
    rules: [
      {
        source: 'https://github.com/ollama/ollama/issues/6753',
        refuses: ({ body }) => /"image_url":\{"url":"https?:/.test(body) && 'invalid image input',
      },
    ],
  },
  vllm: {
    fields: [...hosted, 'seed', 'min_p', 'logit_bias', 'logprobs', 'top_logprobs'],
    rules: [
      {
        source: 'https://github.com/vllm-project/vllm/issues/36432',
        refuses: ({ read }) => !read.messages.some(({ role }) => role === 'user') && 'No user query found in messages.',
      },
      {
        source: 'https://github.com/vllm-project/vllm/blob/main/vllm/sampling_params.py',
        refuses: ({ read }) =>
          ((read.repetition_penalty ?? 1) <= 0 || (read.top_p ?? 1) <= 0) &&
          'repetition_penalty and top_p must be greater than zero',
      },
    ],
  },
  xiaomi: {
    fields: [...usual, 'thinking'],
    rules: [
      noForcedToolWhileThinking(
        ({ read }) => read.thinking?.type !== 'disabled',
        'https://github.com/BerriAI/litellm/pull/37470',
      ),
      within('temperature', 0, 1.5, 'https://platform.xiaomimimo.com/docs/api/text-generation/openai-api'),
    ],
  },
  yandex: {
    fields: [...common, 'frequency_penalty', 'presence_penalty'],
    rules: [
      choices(['auto', 'none'], 'https://aistudio.yandex.ru/docs/ru/ai-studio/concepts/generation/function-call.html'),
      within('temperature', 0, 1, 'https://aistudio.yandex.ru/docs/ru/ai-studio/text-generation/api-ref/'),
    ],
  },
};

/**
 * Providers that accept later system messages; others have the prompt template of an open model, which refuses them.
 */
const takesLaterInstructions = new Set(['openai', 'azure', 'deepseek', 'xai']);
const instructionsFirst: Rule<ChatBody> = {
  source: 'https://github.com/QwenLM/Qwen3.8/issues/244',
  refuses: ({ read: { messages } }) =>
    messages.some(({ role }, index) => index > 0 && (role === 'system' || role === 'developer')) &&
    'System message must be at the beginning.',
};

export const chatFakes: Record<string, StrictFake> = Object.fromEntries(
  Object.entries(providers).map(([id, { fields, rules }]) => {
    const schema = z.strictObject(Object.fromEntries(fields.map((field) => [field, allFields[field]])));
    const order = takesLaterInstructions.has(id) ? [] : [instructionsFirst];
    return [id, strictFake(schema as unknown as z.ZodType<ChatBody>, [...everyChat, ...order, ...rules])];
  }),
);

/**
 * GigaChat has functions in place of tools. Source:
 * https://developers.sber.ru/docs/ru/gigachat/api/reference/rest/post-chat
 */
const gigachatMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string().min(1) }),
  z.strictObject({ role: z.literal('user'), content: z.string().min(1) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string(),
    function_call: z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }).optional(),
  }),
  z.strictObject({ role: z.literal('function'), name: z.string(), content: z.string() }),
]);
const gigachatBody = z.strictObject({
  model: z.string(),
  messages: z.array(gigachatMessage).min(1),
  stream: z.literal(true),
  max_tokens: z.int().positive().optional(),
  temperature: z.number().positive().max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  repetition_penalty: z.number().positive().optional(),
  functions: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-zA-Z][a-zA-Z0-9_-]*$/),
        description: z.string().optional(),
        parameters: z.looseObject({ type: z.literal('object') }),
      }),
    )
    .optional(),
  function_call: z.union([z.enum(['auto', 'none']), z.strictObject({ name: z.string() })]).optional(),
  response_format: z.looseObject({}).optional(),
});
type GigaChatBody = z.output<typeof gigachatBody>;

const gigachatRules: Rule<GigaChatBody>[] = [
  {
    source: 'https://developers.sber.ru/docs/ru/gigachat/api/reference/rest/post-chat',
    refuses: ({ read: { messages } }) =>
      messages.slice(1).some(({ role }) => role === 'system') && 'system message must be the first message',
  },
  {
    source: 'https://developers.sber.ru/docs/ru/gigachat/guides/functions/overview',
    refuses: ({ read: { messages } }) =>
      messages.some((one, index) => one.role === 'function' && messages[index - 1]?.role !== 'assistant') &&
      'a function message follows a function_call',
  },
];
export const gigachatFake: StrictFake = strictFake(gigachatBody, gigachatRules);

export const chatRules: readonly { source: string }[] = [
  ...everyChat,
  ...Object.values(providers).flatMap(({ rules }) => rules),
  ...gigachatRules,
];
