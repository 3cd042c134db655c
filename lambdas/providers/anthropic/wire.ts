import { penalties } from '../../catalog/sampling-parameters.ts';
import { withTrueImageTypes } from '../../messages/image-types.ts';
import { withDefinedFormat, withOutput } from '../../messages/output-format.ts';
import {
  thinkingInAnswers,
  thinkingOf,
  withoutGatewaySigned,
  withoutThinking,
} from '../../messages/thinking-signatures.ts';
import { without } from '../../messages/without.ts';
import { invalidRequest } from '../../platform/errors.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import { withSupportedMarks } from '../../messages/cache-marks.ts';
import type { Block, Message, MessagesRequest, Tool } from '../../messages/types.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import type { ClientHeaders, MessagesWire, WireRequest, WireTarget } from '../wire.ts';
import { toolCallId } from '../tool-call-id.ts';
import { argumentsSchema, currentSchema } from '../translated/arguments-schema.ts';
import { refuseUnsupportedSampling, withListedSampling } from '../translated/sampling.ts';
import { withSoundCalls } from '../translated/sound-calls.ts';
import { withSentNames } from '../translated/tool-names.ts';
import { withSupportedChoice } from '../translated/tool-choice.ts';
import { acyclicSchema } from '../translated/acyclic-schema.ts';
import { refuseChoiceWithoutTools } from '../translated/tools.ts';
import { takenSchema } from '../translated/taken-schema.ts';
import { decodeMessage, decodeStream } from './decode.ts';
import { withCallsLast } from './calls-last.ts';
import { envelopeOf, postMessages } from './envelopes.ts';
import { withTextualErrors } from './moved-parts.ts';
import { refuseUnsupportedParts } from './unsupported-parts.ts';
import { placedInstructions, rewritten, withoutBlankAnswers } from './rewritten.ts';
import { withAcceptedNames } from './accepted-names.ts';
import { strictSchema } from './claude-schema.ts';
import { thinks, withSupportedThinking } from './supported-thinking.ts';
import { userDigest } from '../translated/user-digest.ts';
import { hiddenReasoning, unsupportedClaudeTunings, withFittingBudget, withKnownMembers } from './thinking.ts';

type AnthropicTarget = WireTarget<AnthropicQuirks>;

export const anthropicWire: MessagesWire<AnthropicQuirks> = {
  encode(request, target, client) {
    if (request.max_tokens === 0) {
      throw invalidRequest(
        'max_tokens',
        'must be at least 1, because a request with 0, which only warms a cache, cannot be streamed',
      );
    }
    return envelopeOf(target.quirks).wrap(...upstreamRequest(request, target, client));
  },
  encodeCount: (request, target, client) =>
    target.quirks.count_tokens && !target.quirks.envelope ? encodeCountTokens(request, target, client) : undefined,
  readCount: (answer) => (answer as { input_tokens?: unknown } | null)?.input_tokens,
  unsupportedTunings: unsupportedClaudeTunings,
  hiddenReasoning,
  decode: decodeStream,
  decodeWhole: decodeMessage,
};

/** Names of betas on services that do not accept Anthropic's name (anthropics/claude-code issues 21625, 34802). */
const betaNamesElsewhere: Record<string, string> = { 'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19' };

/** Beta that Claude Opus 4.5 on Bedrock requires for an effort (https://github.com/coder/coder/issues/25356). */
const EFFORT = 'effort-2025-11-24';

/** Returns the betas (optional features, named in the header anthropic-beta) that the endpoint accepts. */
function knownBetas(names: string[], quirks: AnthropicQuirks, effort?: unknown): string[] {
  const known = quirks.betas ?? envelopeOf(quirks).betas;
  const sent = known
    ? [...names, ...(effort ? [EFFORT] : [])]
        .map((name) => (known.includes(name) ? name : (betaNamesElsewhere[name] ?? name)))
        .filter((name) => known.includes(name))
    : names;
  return [...new Set(sent)];
}

/**
 * Drops settings whose beta the endpoint does not accept, such as a task budget, which only advises the model.
 * https://platform.claude.com/docs/en/build-with-claude/task-budgets
 */
function withKnownSettings(request: MessagesRequest, quirks: AnthropicQuirks): MessagesRequest {
  const known = quirks.betas ?? envelopeOf(quirks).betas;
  const lacks = (beta: string) => !(known?.includes(beta) ?? !quirks.own_signatures);
  const { thinking, output_config: output = {} } = request;
  return withOutput(
    thinking ? { ...request, thinking: withKnownMembers(thinking, lacks) } : request,
    lacks('task-budgets-2026-03-13') ? without(output, 'task_budget') : output,
  );
}

/** Encodes a request for POST /v1/messages/count_tokens, which some providers support. */
function encodeCountTokens(request: MessagesRequest, target: AnthropicTarget, client: ClientHeaders): WireRequest {
  const [body, headers] = upstreamRequest(request, target, client);
  const counted = Object.entries(body).filter(([field, value]) => countedFields.has(field) && value !== undefined);
  return postMessages('/v1/messages/count_tokens', Object.fromEntries(counted), headers);
}

/** Fields that count_tokens accepts. Source: parameters of the official SDK. */
const countedFields = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'cache_control',
  'context_management',
  'compaction',
  'mcp_servers',
  'billing_policy',
  'speed',
]);

/** Returns the body and the headers of the provider's request. */
function upstreamRequest(
  sent: MessagesRequest,
  target: AnthropicTarget,
  client: ClientHeaders,
): [Record<string, unknown>, ClientHeaders] {
  refuseUnsupportedSampling(sent, target, penalties);
  const requested = withPlainNone(withListedSampling(sent, target));
  refuseUnsupportedParts(requested, target.quirks);
  refuseBlankStops(requested);
  const ceiling = target.maxOutputTokens ?? Infinity;
  // The endpoint's limit is the default, because the Messages API requires max_tokens.
  const maxTokens = Math.min(requested.max_tokens ?? ceiling, ceiling);
  const placed = placedInstructions(
    withSoundCalls(withTrueImageTypes(rewritten(withDefinedFormat(requested), target.quirks))),
  );
  const chosen = withSupportedChoice(
    withSupportedSchemas(withoutIdleChoice(placed), target.quirks),
    target.quirks.tool_choices,
  );
  const renamed = withSentNames(withSupportedMarks(chosen), envelopeOf(target.quirks).toolNames);
  const request = withSupportedThinking(withKnownSettings(renamed, target.quirks), target.quirks, maxTokens);
  const user = userDigest(request);
  const named = [client.anthropicBeta, ...(request.betas ?? [])].join().match(/[^\s,]+/g) ?? [];
  const betas = knownBetas(named, target.quirks, request.output_config?.effort).join(',');
  const body = {
    ...request,
    betas: undefined,
    // Anthropic rejects other members of `metadata`, which clients of LiteLLM send
    // (https://github.com/BerriAI/litellm/issues/15103).
    metadata: user === undefined ? undefined : { user_id: user },
    // This field names an earlier answer by Anthropic's id, but clients get the gateway's ids. Bedrock and Google Cloud
    // reject the field (https://github.com/anthropics/claude-code/issues/82539).
    diagnostics: undefined,
    tool_choice: request.tool_choice && withoutNulls(request.tool_choice),
    model: target.upstreamModel,
    messages: withoutTrailingSpace(
      withCallsLast(withTextualErrors(readableMessages(request, target))).map(withOwnMembers),
      thinks(request, target.quirks),
    ),
    max_tokens: maxTokens,
    ...supportedEdits(request, target.quirks),
    ...(request.thinking ? { thinking: withFittingBudget(request, maxTokens, betas) } : {}),
  };
  return [body, { ...client, anthropicBeta: betas || undefined }];
}

/**
 * Removes the tool choice from a request without tools, which the provider would reject.
 * @throws {GatewayError} 400 for a tool choice that needs tools
 */
function withoutIdleChoice(request: MessagesRequest): MessagesRequest {
  if (request.tools?.length || !request.tool_choice) return request;
  refuseChoiceWithoutTools(request.tool_choice);
  return without(request, 'tool_choice');
}

/**
 * Removes the limit to one call from the choice of no tool, where Anthropic rejects it. Zed sends both
 * (https://github.com/QuantumNous/new-api/issues/2763).
 */
function withPlainNone(request: MessagesRequest): MessagesRequest {
  return request.tool_choice?.type === 'none' ? { ...request, tool_choice: { type: 'none' } } : request;
}

/** Removes null members, because the provider accepts null in only some fields. */
function withoutNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) as Value;
}

/** Refuses stop sequences that contain only white space, because the Messages API does not accept them. */
function refuseBlankStops({ stop_sequences: stops = [] }: MessagesRequest): void {
  const blank = stops.findIndex(isBlank);
  if (blank === -1) return;
  throw invalidRequest(`stop_sequences.${blank}`, 'must not consist of white space on this model');
}

function withSupportedSchemas(request: MessagesRequest, quirks: AnthropicQuirks): MessagesRequest {
  const { tools, output_config: output } = request;
  const format = output?.format;
  if (format) refuseCircular(format.schema, 'output_config.format.schema');
  const schema = format && strictSchema(currentSchema(format.schema));
  return {
    ...request,
    ...(tools ? { tools: tools.map((tool, index) => withSupportedSchema(tool, index, quirks)) } : {}),
    ...(format ? { output_config: { ...output, format: { ...format, schema } } } : {}),
  };
}

/** Refuses a schema with circular references, because Claude cannot enforce it. */
function refuseCircular(schema: unknown, path: string): void {
  if (!isRecord(schema) || acyclicSchema(schema) === schema) return;
  throw invalidRequest(path, 'does not work with circular references ("$ref") on this model; leave them out');
}

function withSupportedSchema(original: Tool, index: number, quirks: AnthropicQuirks): Tool {
  const tool = withoutNulls(original);
  if (tool.type && tool.type !== 'custom') return tool;
  const declared = argumentsSchema(tool.input_schema ?? {});
  const schema = takenSchema(declared, quirks);
  const named = quirks.own_signatures ? schema : withAcceptedNames(schema);
  if (tool['strict'] !== true) return { ...tool, input_schema: named };
  if (named !== schema) {
    throw invalidRequest(
      `tools.${index}.strict`,
      'works on this model only with arguments whose names are 1 to 64 of a-z, A-Z, 0-9, "_", "." and "-"; rename them, or leave it out',
    );
  }
  refuseCircular(schema, `tools.${index}.strict`);
  return { ...tool, input_schema: strictSchema(schema) as typeof schema };
}

/**
 * Repairs the last message if it is an answer that the client began. Providers reject white space at the end of this
 * message. If thinking is off, they also reject thinking in this message
 * (https://github.com/tailcallhq/forgecode/issues/1853).
 */
function withoutTrailingSpace(messages: Message[], isThinking: boolean): Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return messages;
  const [begun] = isThinking ? [last] : withoutThinking([last]);
  return begun ? [...messages.slice(0, -1), { ...begun, content: trimmedEnd(begun.content) }] : messages.slice(0, -1);
}

function trimmedEnd(content: Message['content']): Message['content'] {
  if (typeof content === 'string') return content.trimEnd();
  const last = content.at(-1);
  if (last?.type !== 'text') return content;
  return [...content.slice(0, -1), { ...last, text: (last['text'] as string).trimEnd() }];
}

/** Drops thinking and texts that the provider would reject, and adds thinking blocks that it requires. */
function readableMessages(request: MessagesRequest, { providerId, quirks }: AnthropicTarget): Message[] {
  const { messages, thinking } = request;
  if (!quirks.own_signatures) return withoutBlankAnswers(withoutGatewaySigned(messages), true);
  const insists = quirks.thinking_before_calls && thinking?.type !== 'disabled';
  const readable = insists ? thinkingInAnswers(providerId, request) : thinkingOf(providerId, messages);
  return withoutBlankAnswers(readable, false);
}

/**
 * Returns context_management without edits of thinking if the model does not think, because Claude then rejects them
 * (https://github.com/router-for-me/CLIProxyAPI/issues/4957).
 */
function supportedEdits(request: MessagesRequest, quirks: AnthropicQuirks): { context_management?: unknown } {
  const { context_management: context } = request;
  if (!context?.edits || thinks(request, quirks)) return {};
  const edits = context.edits.filter(({ type }) => !type.startsWith('clear_thinking_'));
  return { context_management: edits.length > 0 ? { ...context, edits } : undefined };
}

/** Repairs the blocks of a message. */
function withOwnMembers(message: Message): Message {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map(withoutLeftovers).map(withFittingToolId) };
}

/**
 * Removes members that the SDK and LangChain leave in blocks of earlier answers, and that Anthropic or Bedrock reject
 * (https://github.com/anthropics/anthropic-sdk-python/pull/1107, https://github.com/langchain-ai/langchain/pull/32574).
 * The gateway supports only the default value of `caller`.
 */
function withoutLeftovers({
  index: _place,
  partial_json: _json,
  parsed_output: _read,
  caller: _caller,
  ...block
}: Block): Block {
  return block;
}

/** Replaces ids of tool calls that Anthropic would reject. */
function withFittingToolId(block: Block): Block {
  if (block.type === 'tool_use') return { ...block, id: toolCallId(block['id'] as string, 'anthropic') };
  if (block.type !== 'tool_result') return block;
  return { ...withoutNulls(block), tool_use_id: toolCallId(block['tool_use_id'] as string, 'anthropic') };
}
