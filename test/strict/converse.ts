/**
 * Strict fake of Amazon Bedrock's Converse API. Its rules come from the API's Smithy model, and from the documentation
 * of the models.
 */

import * as z from 'zod';
import {
  ARGUMENTS_SOURCE,
  argumentsFault,
  isBlankText,
  repeatedIn,
  strictFake,
  type Rule,
  type StrictFake,
} from './rules.ts';

const smithy = 'https://github.com/aws/api-models-aws/tree/main/models/bedrock-runtime';
const guide = 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html';

const cachePoint = z.strictObject({
  cachePoint: z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).optional() }),
});
const text = z.strictObject({ text: z.string().min(1) });
const bytes = z.strictObject({ bytes: z.base64().min(1) });
const image = z.strictObject({
  image: z.strictObject({ format: z.enum(['png', 'jpeg', 'gif', 'webp']), source: bytes }),
});
const document = z.strictObject({
  document: z.strictObject({
    format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
    name: z.string().regex(/^[a-zA-Z0-9\s\-()[\]]{1,200}$/),
    source: z.union([bytes, z.strictObject({ text: z.string() })]),
    context: z.string().optional(),
    citations: z.strictObject({ enabled: z.boolean() }).optional(),
  }),
});
const toolUseId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolUse = z.strictObject({
  toolUse: z.strictObject({ toolUseId, name: toolName, input: z.record(z.string(), z.unknown()) }),
});
const toolResult = z.strictObject({
  toolResult: z.strictObject({
    toolUseId,
    content: z.array(z.union([text, image, document])).min(1),
    status: z.enum(['success', 'error']).optional(),
  }),
});
const reasoning = z.strictObject({ reasoningContent: z.looseObject({}) });
const block = z.union([text, image, document, toolUse, toolResult, reasoning, cachePoint]);

const body = z.strictObject({
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(block).min(1) })).min(1),
  system: z
    .array(z.union([text, cachePoint]))
    .min(1)
    .optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2_500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({
      tools: z
        .array(
          z.union([
            z.strictObject({
              toolSpec: z.strictObject({
                name: toolName,
                description: z.string().min(1).optional(),
                inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal('object') }) }),
                strict: z.boolean().optional(),
              }),
            }),
            cachePoint,
          ]),
        )
        .min(1),
      toolChoice: z
        .union([
          z.strictObject({ auto: z.strictObject({}) }),
          z.strictObject({ any: z.strictObject({}) }),
          z.strictObject({ tool: z.strictObject({ name: toolName }) }),
        ])
        .optional(),
    })
    .optional(),
  outputConfig: z.looseObject({}).optional(),
  additionalModelRequestFields: z.looseObject({}).optional(),
  additionalModelResponseFieldPaths: z.array(z.string()).optional(),
});
type ConverseBody = z.output<typeof body>;

const isNova = (model: string) => model.includes('nova');
/**
 * Whether a model is of Nova's first generation. Nova 2 accepted `additionalProperties` in recorded interactions of
 * ruby_llm.
 */
const isFirstNova = (model: string) => /nova-(?:micro|lite|pro)/.test(model);
const isLlama = (model: string) => model.includes('llama');

const isOfTool = (one: object) => 'toolUse' in one || 'toolResult' in one;

const rules: Rule<ConverseBody>[] = [
  {
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolResultContentBlock.html',
    refuses: ({ read: { messages }, model }) =>
      !/claude|nova/.test(model) &&
      messages.some(({ content }) =>
        content.some((one) => 'toolResult' in one && one.toolResult.content.some((part) => 'image' in part)),
      ) &&
      "This model doesn't support the image field for user messages",
  },
  {
    source: 'https://github.com/NousResearch/hermes-agent/pull/63983',
    refuses: ({ read }) =>
      [...(read.system ?? []), ...read.messages.flatMap(({ content }) => content)].some(
        (one) => 'text' in one && isBlankText(one.text),
      ) && 'The text field in the ContentBlock object is blank',
  },
  {
    source: guide,
    refuses: ({ read: { messages } }) =>
      messages.some(({ role }, index) => role === messages[index + 1]?.role) &&
      'Roles must alternate between user and assistant',
  },
  {
    source: 'https://github.com/langchain-ai/langchain-aws/issues/185',
    refuses: ({ read: { messages } }) =>
      messages[0]!.role !== 'user' && 'A conversation must start with a user message',
  },
  {
    source: guide,
    refuses: ({ read: { messages } }) => {
      const ids = messages.flatMap(({ content }) =>
        content.flatMap((one) => ('toolUse' in one ? [one.toolUse.toolUseId] : [])),
      );
      if (repeatedIn(ids)) return 'toolUse ids must be unique';
      for (const [index, { content }] of messages.entries()) {
        const calls = content.flatMap((one) => ('toolUse' in one ? [one.toolUse.toolUseId] : []));
        const results =
          messages[index + 1]?.content.flatMap((one) => ('toolResult' in one ? [one.toolResult.toolUseId] : [])) ?? [];
        if (calls.some((id) => !results.includes(id))) return 'Expected toolResult blocks for every toolUse';
        if (results.some((id) => !calls.includes(id)))
          return 'The number of toolResult blocks exceeds the number of toolUse blocks';
      }
      return messages[0]!.content.some((one) => 'toolResult' in one) && 'toolResult without toolUse';
    },
  },
  {
    source: guide,
    refuses: ({ read }) =>
      !read.toolConfig &&
      read.messages.some(({ content }) => content.some((one) => 'toolUse' in one || 'toolResult' in one)) &&
      'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
  },
  {
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html',
    refuses: ({ read, model }) =>
      read.toolConfig?.toolChoice &&
      'tool' in read.toolConfig.toolChoice &&
      !isNova(model) &&
      'toolChoice.tool is not supported by this model',
  },
  {
    source: 'https://github.com/strands-agents/harness-sdk/issues/1241',
    refuses: ({ read: { toolConfig }, model }) =>
      isLlama(model) &&
      toolConfig?.toolChoice &&
      !('auto' in toolConfig.toolChoice) &&
      "This model doesn't support the toolConfig.toolChoice.any field",
  },
  {
    source: 'https://github.com/n8n-io/n8n/issues/14206',
    refuses: ({ read, model, path }) =>
      isLlama(model) &&
      read.toolConfig &&
      path.endsWith('/converse-stream') &&
      "This model doesn't support tool use in streaming mode",
  },
  {
    source: 'https://github.com/strands-agents/harness-sdk/issues/1223',
    refuses: ({ read: { messages }, model }) =>
      isLlama(model) &&
      messages.some(({ content }) => content.some(isOfTool) && !content.every(isOfTool)) &&
      'Conversation blocks and tool result blocks cannot be provided in the same turn.',
  },
  {
    source: 'https://github.com/lastmile-ai/mcp-agent/pull/126',
    refuses: ({ read, model }) => {
      const schemas = (read.toolConfig?.tools ?? []).flatMap((one) =>
        'toolSpec' in one ? [one.toolSpec.inputSchema.json] : [],
      );
      const odd = schemas.flatMap(Object.keys).find((name) => !['type', 'properties', 'required'].includes(name));
      return (
        isFirstNova(model) &&
        odd &&
        `Malformed input request: inputSchema/json: extraneous key [${odd}] is not permitted`
      );
    },
  },
  {
    source: 'https://github.com/maximhq/bifrost/pull/7079',
    refuses: ({ read }) =>
      read.messages.some(({ content }) =>
        content.some(
          (one) => 'document' in one && 'text' in one.document.source && one.document.citations?.enabled !== true,
        ),
      ) && 'DocumentSource must set one of the following keys: bytes, s3Location',
  },
  {
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html',
    refuses: ({ read, model }) => {
      const points = [...(read.system ?? []), ...read.messages.flatMap(({ content }) => content)].filter(
        (one) => 'cachePoint' in one,
      );
      const inTools = read.toolConfig?.tools.some((one) => 'cachePoint' in one);
      if (!isNova(model)) return (points.length > 0 || inTools) && 'cachePoint is not supported by this model';
      return (points.length > 4 || inTools) && 'at most 4 cachePoints, none in tools';
    },
  },
  {
    source: 'https://github.com/aws/aws-sdk-java-v2/issues/6277',
    refuses: ({ read }) =>
      read.messages.some(({ content }) =>
        content.some((one, index) => {
          const previous = content[index - 1];
          return 'cachePoint' in one && previous && 'document' in previous && previous.document.format !== 'pdf';
        }),
      ) && 'messages.0.content.0.type: Field required',
  },
  {
    source: 'https://github.com/zeroclaw-labs/zeroclaw/issues/8720',
    refuses: ({ read, model }) =>
      isNova(model) &&
      read.messages.some(({ content }) =>
        content.some((one, index) => 'cachePoint' in one && !('text' in (content[index - 1] ?? {}))),
      ) &&
      'extraneous key [cachePoint] is not permitted',
  },
  {
    source: smithy,
    refuses: ({ read }) =>
      repeatedIn((read.toolConfig?.tools ?? []).flatMap((one) => ('toolSpec' in one ? [one.toolSpec.name] : []))) &&
      'tool names must be unique',
  },
  {
    source: ARGUMENTS_SOURCE,
    refuses: ({ read }) =>
      read.toolConfig?.tools
        .map((one) => ('toolSpec' in one ? argumentsFault(one.toolSpec.inputSchema.json) : undefined))
        .find((fault) => fault !== undefined),
  },
  {
    source: guide,
    refuses: ({ read: { messages } }) =>
      messages.some(
        ({ content }) => content.some((one) => 'document' in one) && !content.some((one) => 'text' in one),
      ) && 'A text block is required with a document',
  },
];

export const converseFake: StrictFake = strictFake(body, rules);
export const converseRules: readonly { source: string }[] = rules;
