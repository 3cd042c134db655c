import { thinkingOf, withoutOwnThinking } from '../../messages/foreign-thinking.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import type { ClientHeaders, MessagesWire, WireRefusal, WireRequest, WireTarget } from '../wire.ts';
import { toolCallId } from '../tool-call-id.ts';
import { decodeMessage, decodeStream } from './decode.ts';

/** Upstreams that speak the Messages API themselves: requests and answers go through as they are. */

export const anthropicWire: MessagesWire = {
  encode(request, target, client) {
    if (request.max_tokens === 0) {
      throw invalidRequest(
        'max_tokens',
        'must be at least 1: warming a cache with 0 cannot be streamed, and the gateway streams',
      );
    }
    return postJson('/v1/messages', { ...upstreamBody(request, target), stream: true }, client);
  },
  encodeCount: (request, target, client) =>
    target.quirks.count_tokens ? encodeCountTokens(request, target, client) : undefined,
  hiddenOutput,
  countsPromptAtStart: true,
  cachesUnasked: false,
  declinesForFree: true,
  credentialHeaders: (credential) => ({ 'x-api-key': credential }),
  decode: decodeStream,
  decodeWhole: decodeMessage,
  readRefusal,
};

/**
 * All thinking is billed, and shown as a summary, or not at all. `budget_tokens` is a target that a model may pass: only
 * max_tokens bounds what it thinks and writes.
 */
function hiddenOutput({ thinking }: MessagesRequest, { quirks }: WireTarget, maxOutputTokens: number): number {
  const thinks = thinking ? thinking.type !== 'disabled' : quirks.thinks_by_default;
  return thinks || quirks.hidden_reasoning ? maxOutputTokens : 0;
}

/** POST /v1/messages/count_tokens of an upstream that has it; the fields that only matter to generation are left out. */
function encodeCountTokens(request: MessagesRequest, target: WireTarget, client: ClientHeaders): WireRequest {
  const { max_tokens: _, stop_sequences: __, ...body } = upstreamBody(request, target);
  for (const field of generationFields) delete body[field];
  return postJson('/v1/messages/count_tokens', body, client);
}

/** Besides max_tokens and stop_sequences: what count_tokens would refuse as unknown to it. */
const generationFields = [
  'stream',
  'metadata',
  'temperature',
  'top_p',
  'top_k',
  'service_tier',
  'inference_geo',
  'diagnostics',
];

function upstreamBody(request: MessagesRequest, target: WireTarget): Record<string, unknown> {
  const ceiling = target.maxOutputTokens ?? Infinity;
  // The Messages API requires max_tokens; a client that left it out gets all that the model can write.
  const maxTokens = Math.min(request.max_tokens ?? ceiling, ceiling);
  const messages = target.quirks.own_signatures
    ? thinkingOf(target.providerId, request.messages)
    : withoutOwnThinking(request.messages);
  return {
    ...request,
    model: target.upstreamModel,
    messages: messages.map(withFittingToolIds),
    max_tokens: maxTokens,
    ...(request.thinking ? { thinking: withFittingBudget(request, maxTokens) } : {}),
  };
}

/** A budget that fitted what the client asked for has to fit what the model can write, too. */
function withFittingBudget({ thinking, max_tokens: asked }: MessagesRequest, maxTokens: number): unknown {
  const budget = thinking!.budget_tokens;
  const wasCut = asked !== undefined && asked > maxTokens;
  return wasCut && budget && budget >= maxTokens ? { ...thinking, budget_tokens: maxTokens - 1 } : thinking;
}

/** Calls that other models made may have ids that Anthropic does not take. */
function withFittingToolIds(message: Message): Message {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map(withFittingToolId) };
}

function withFittingToolId(block: Block): Block {
  if (block.type === 'tool_use') return { ...block, id: toolCallId(block['id'] as string, 'anthropic') };
  if (block.type !== 'tool_result') return block;
  return { ...block, tool_use_id: toolCallId(block['tool_use_id'] as string, 'anthropic') };
}

function postJson(path: string, body: unknown, client: ClientHeaders): WireRequest {
  return {
    path,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'anthropic-version': client.anthropicVersion,
      ...(client.anthropicBeta ? { 'anthropic-beta': client.anthropicBeta } : {}),
    },
    body: JSON.stringify(body),
  };
}

function readRefusal(body: string): WireRefusal {
  try {
    const { error } = JSON.parse(body) as { error?: { type?: unknown; message?: unknown } };
    if (typeof error?.message === 'string' && error.message !== '') {
      return { type: typeof error.type === 'string' ? error.type : undefined, message: error.message };
    }
  } catch {
    // Not the Messages API's own envelope: a proxy in front of it answered.
  }
  return { type: undefined, message: 'The provider refused the request without saying why' };
}
