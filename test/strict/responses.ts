/** Strict fakes of the Responses API at OpenAI, Azure, xAI and Meta. */

import * as z from 'zod';
import {
  ARGUMENTS_SOURCE,
  argumentsFault,
  enforcedFlavor,
  isBlankText,
  isCircular,
  repeatedIn,
  schemaIds,
  schemasIn,
  strictFake,
  type Rule,
  type StrictFake,
  xaiImages,
} from './rules.ts';

const openapi = 'https://github.com/openai/openai-openapi/blob/master/openapi.yaml';
/** The guide states: "When reasoning effort is not none, remove temperature, top_p, and top_logprobs." */
const latestModelGuide = 'https://developers.openai.com/api/docs/guides/latest-model';
const reasoningGuide = 'https://platform.openai.com/docs/guides/reasoning';
const bigAgi =
  'https://github.com/enricoros/big-AGI/blob/main/src/modules/aix/server/dispatch/chatGenerate/adapters/openai.responsesCreate.ts';

const breakpoint = { prompt_cache_breakpoint: z.strictObject({ mode: z.literal('explicit') }).optional() };
const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string().min(1), ...breakpoint }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: z.string().min(1),
    detail: z.enum(['auto', 'low', 'high']).optional(),
    ...breakpoint,
  }),
  z.strictObject({
    type: z.literal('input_file'),
    filename: z.string().optional(),
    file_data: z.string().optional(),
    file_url: z.string().optional(),
    detail: z.enum(['auto', 'low', 'high']).optional(),
    ...breakpoint,
  }),
]);
const outputPart = z.strictObject({ type: z.literal('output_text'), text: z.string().min(1) });
const callId = z.string().min(1).max(64);
const item = z.union([
  z.strictObject({
    type: z.literal('message'),
    role: z.enum(['user', 'developer', 'system']),
    content: z.array(inputPart).min(1),
  }),
  z.strictObject({
    type: z.literal('message'),
    role: z.literal('assistant'),
    content: z.array(outputPart).min(1),
    phase: z.enum(['commentary', 'final_answer']).optional(),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: callId,
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    arguments: z.string(),
  }),
  z.strictObject({
    type: z.literal('function_call_output'),
    call_id: callId,
    output: z.union([z.string(), z.array(inputPart)]),
  }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: z.string().optional(),
    encrypted_content: z.string(),
    summary: z.array(z.strictObject({ type: z.literal('summary_text'), text: z.string() })),
  }),
]);
const body = z.strictObject({
  model: z.string(),
  instructions: z.string().min(1).optional(),
  input: z.array(item).min(1),
  stream: z.literal(true),
  store: z.literal(false),
  truncation: z.enum(['auto', 'disabled']).optional(),
  service_tier: z.literal('default').optional(),
  max_output_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
        description: z.string().min(1).optional(),
        parameters: z.looseObject({}),
        strict: z.boolean(),
      }),
    )
    .min(1)
    .max(128)
    .optional(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.strictObject({ type: z.literal('function'), name: z.string() })])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  include: z.array(z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'])).optional(),
  top_logprobs: z.int().min(0).max(20).optional(),
  reasoning: z.strictObject({ effort: z.string().optional(), summary: z.literal('auto').optional() }).optional(),
  text: z
    .strictObject({
      format: z
        .discriminatedUnion('type', [
          z.strictObject({ type: z.literal('json_object') }),
          z.strictObject({
            type: z.literal('json_schema'),
            name: z.string(),
            schema: z.looseObject({}),
            strict: z.boolean(),
          }),
        ])
        .optional(),
      verbosity: z.enum(['low', 'medium', 'high']).optional(),
    })
    .optional(),
  safety_identifier: z.string().max(64).optional(),
  prompt_cache_key: z.string().max(64).optional(),
});
type ResponsesBody = z.output<typeof body>;

function enforcedSchema({ text }: Pick<ResponsesBody, 'text'>): Record<string, unknown>[] {
  return text?.format?.type === 'json_schema' && text.format.strict ? [text.format.schema] : [];
}

/** Efforts by the beginning of the model's name; https://platform.openai.com/docs/models lists each. */
const openaiEfforts: [RegExp, readonly string[]][] = [
  [/^gpt-6-astra|^gpt-6\.1-sol|^gpt-6\.2/, ['low', 'medium', 'high', 'xhigh', 'max']],
  [/^gpt-6|^gpt-5\.6/, ['none', 'low', 'medium', 'high', 'xhigh', 'max']],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5\.\d-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5\.3-codex/, ['low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.[2-5]/, ['none', 'low', 'medium', 'high', 'xhigh']],
  [/^gpt-5\.1/, ['none', 'low', 'medium', 'high']],
  [/^gpt-5/, ['minimal', 'low', 'medium', 'high']],
  [/^o\d/, ['low', 'medium', 'high']],
];
const xaiEfforts: [RegExp, readonly string[]][] = [
  [/^grok-4\.20/, []],
  [/^grok-4\.3/, ['none', 'low', 'medium', 'high']],
  [/^grok-4\.5/, ['low', 'medium', 'high']],
  [/^grok/, ['low', 'medium', 'high', 'xhigh']],
];
const metaEfforts: [RegExp, readonly string[]][] = [
  [/^muse-spark-1\.[12]/, ['minimal', 'low', 'medium', 'high', 'xhigh']],
  [/^muse/, ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']],
];

const effortRule = (table: [RegExp, readonly string[]][], source: string): Rule<ResponsesBody> => ({
  source,
  refuses: ({ read, model }) => {
    const taken = table.find(([name]) => name.test(model))?.[1] ?? [];
    const asked = read.reasoning?.effort;
    return (
      asked !== undefined && !taken.includes(asked) && `reasoning.effort: "${asked}" is not supported with "${model}"`
    );
  },
});

const rules: Rule<ResponsesBody>[] = [
  {
    source: openapi,
    refuses: ({ read }) => {
      const calls = read.input.flatMap((one) => (one.type === 'function_call' ? [one.call_id] : []));
      const outputs = read.input.flatMap((one) => (one.type === 'function_call_output' ? [one.call_id] : []));
      if (repeatedIn(calls) || repeatedIn(outputs)) return 'Duplicate call_id';
      if (outputs.some((id) => !calls.includes(id))) return 'No tool call found for function call output';
      return calls.some((id) => !outputs.includes(id)) && 'No tool output found for function call';
    },
  },
  {
    source: 'https://github.com/openai/codex/issues/8145',
    refuses: ({ read: { input } }) =>
      input.some((one, index) => one.type === 'reasoning' && !followsReasoning(input[index + 1])) &&
      "Item of type 'reasoning' was provided without its required following item",
  },
  {
    source: 'https://github.com/HKUDS/nanobot/issues/3633',
    refuses: ({ read }) =>
      repeatedIn(read.input.flatMap((one) => (one.type === 'reasoning' && one.id ? [one.id] : []))) &&
      'Duplicate item found with id rs_1. Remove duplicate items from your input and try again.',
  },
  {
    source: 'https://github.com/experientiallabs/experiential/pull/965',
    refuses: ({ read }) =>
      read.input.some((one) => one.type === 'reasoning' && !one.encrypted_content.startsWith('own-')) &&
      'The encrypted content could not be verified',
  },
  {
    source: 'https://github.com/BerriAI/litellm/pull/22979',
    refuses: ({ read }) =>
      read.input.some(
        (one) => one.type === 'message' && one.content.some((part) => 'text' in part && isBlankText(part.text)),
      ) && 'input: content must not be blank',
  },
  {
    source: openapi,
    refuses: ({ read }) => repeatedIn((read.tools ?? []).map(({ name }) => name)) && 'tools: names repeat',
  },
  {
    source: openapi,
    refuses: ({ read: { tool_choice: choice, tools = [] } }) =>
      choice !== undefined &&
      (tools.length === 0 || (typeof choice === 'object' && !tools.some(({ name }) => name === choice.name))) &&
      'tool_choice: no such tool',
  },
  {
    source: ARGUMENTS_SOURCE,
    refuses: ({ read }) =>
      read.tools?.map(({ parameters }) => argumentsFault(parameters)).find((fault) => fault !== undefined),
  },
  {
    source: 'https://github.com/BigDawnGhost/wenyi/pull/66',
    refuses: ({ read: { input, text } }) =>
      text?.format?.type === 'json_object' &&
      !/json/i.test(JSON.stringify(input)) &&
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
  },
  {
    source: 'https://platform.openai.com/docs/guides/structured-outputs',
    refuses: ({ read }) => {
      const held = [
        ...(read.tools ?? []).filter(({ strict }) => strict).map(({ parameters }) => parameters),
        ...enforcedSchema(read),
      ];
      return (
        held.some((schema) =>
          [...schemasIn(schema)].some((one) => one['type'] === 'object' && one['additionalProperties'] !== false),
        ) && "'additionalProperties' must be false"
      );
    },
  },
];

function followsReasoning(next: z.output<typeof item> | undefined): boolean {
  return (
    next?.type === 'function_call' ||
    next?.type === 'reasoning' ||
    (next?.type === 'message' && next.role === 'assistant')
  );
}

const openaiRules: Rule<ResponsesBody>[] = [
  schemaIds,
  {
    source: enforcedFlavor.source,
    refuses: ({ read: { tools = [], text } }) =>
      [...tools.filter(({ strict }) => strict).map(({ parameters }) => parameters), ...enforcedSchema({ text })]
        .map((schema) => enforcedFlavor.faultIn(schema))
        .find((fault) => fault !== undefined),
  },
  {
    source: 'https://github.com/BerriAI/litellm/issues/35061',
    refuses: ({ read }) => (read.max_output_tokens ?? 16) < 16 && 'max_output_tokens: expected a value >= 16',
  },
  effortRule(openaiEfforts, reasoningGuide),
  {
    source: 'https://github.com/run-llama/llama_index/issues/20865',
    refuses: ({ read, model }) =>
      read.parallel_tool_calls !== undefined && /^o\d/.test(model) && "Unsupported parameter: 'parallel_tool_calls'",
  },
  {
    source: bigAgi,
    refuses: ({ read, model }) =>
      read.reasoning?.summary !== undefined &&
      /codex-spark|^o1-pro/.test(model) &&
      `Unsupported parameter: 'reasoning.summary' is not supported with the '${model}' model.`,
  },
  {
    source: latestModelGuide,
    refuses: ({ read }) =>
      (read.temperature !== undefined || read.top_p !== undefined) &&
      read.reasoning?.effort !== 'none' &&
      "Unsupported parameter: 'temperature'",
  },
  {
    source: latestModelGuide,
    refuses: ({ read }) =>
      asksForLogprobs(read) && read.reasoning?.effort !== 'none' && 'logprobs are not supported with reasoning',
  },
  {
    source: 'https://github.com/openai/openai-node/issues/1610',
    refuses: ({ read, model }) =>
      read.text?.verbosity !== undefined &&
      read.text.verbosity !== 'medium' &&
      (!/^gpt-[56]/.test(model) || /codex|pro/.test(model)) &&
      `text.verbosity: "${read.text.verbosity}" is not supported with "${model}"`,
  },
];

function asksForLogprobs({ include = [], top_logprobs: most }: ResponsesBody): boolean {
  return most !== undefined || include.includes('message.output_text.logprobs');
}

/** Refuses fields of OpenAI that compatible providers do not document. */
const undocumented = (source: string): Rule<ResponsesBody> => ({
  source,
  refuses: ({ read }) => (asksForLogprobs(read) || read.text?.verbosity !== undefined) && 'unknown field',
});
const xaiRules: Rule<ResponsesBody>[] = [
  effortRule(xaiEfforts, 'https://docs.x.ai/docs/guides/reasoning'),
  undocumented('https://docs.x.ai/docs/api-reference'),
  xaiImages,
];
const metaRules: Rule<ResponsesBody>[] = [
  {
    source: bigAgi,
    refuses: ({ read }) => (read.max_output_tokens ?? 16) < 16 && 'max_output_tokens: must be at least 16',
  },
  {
    source:
      'https://github.com/burin-labs/harn/blob/main/crates/harn-vm/src/llm/capability_sources/20-providers/34-meta.toml',
    refuses: ({ read }) =>
      read.tool_choice !== undefined && read.tool_choice !== 'auto' && 'only `"auto"` is supported for `tool_choice`',
  },
  {
    source: 'https://github.com/duolahypercho/codex-router/issues/792',
    refuses: ({ read }) =>
      [
        ...(read.tools ?? []).map(({ parameters }) => parameters),
        ...(read.text?.format?.type === 'json_schema' ? [read.text.format.schema] : []),
      ].some((schema) => isCircular(schema)) && 'Recursive JSON schemas are not currently supported',
  },
  undocumented('https://github.com/anomalyco/models.dev/tree/dev/providers'),
  effortRule(metaEfforts, 'https://github.com/anomalyco/models.dev/tree/dev/providers'),
];

/** Refuses cache breakpoints for models other than these. */
const breakpointRule = (models: RegExp): Rule<ResponsesBody> => ({
  source: 'https://developers.openai.com/api/docs/guides/prompt-caching',
  refuses: ({ read, model }) =>
    JSON.stringify(read.input).includes('"prompt_cache_breakpoint":') &&
    !models.test(model) &&
    "Unsupported parameter: 'prompt_cache_breakpoint'",
});
const openaiBreakpoints = breakpointRule(/^gpt-(?:5\.6|6)/);
/** The documentation of the other services does not mention breakpoints. */
const noBreakpoints = breakpointRule(/^$/);

export const responsesFakes: Record<string, StrictFake> = {
  openai: strictFake(body, [...rules, ...openaiRules, openaiBreakpoints]),
  azure: strictFake(body, [...rules, ...openaiRules, noBreakpoints]),
  xai: strictFake(body, [...rules, ...xaiRules, noBreakpoints]),
  meta: strictFake(body, [...rules, ...metaRules, noBreakpoints]),
};
export const responsesRules: readonly { source: string }[] = [
  ...rules,
  ...openaiRules,
  ...xaiRules,
  ...metaRules,
  openaiBreakpoints,
];
