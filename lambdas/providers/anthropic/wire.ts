import { ownSignature, thinkingOf, withoutOwnThinking } from '../../messages/foreign-thinking.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { AnswerEvent, Block, Message, MessagesEvent, MessagesRequest } from '../../messages/types.ts';
import { UpstreamError } from '../upstream-http.ts';
import type { ClientHeaders, DecodeContext, MessagesWire, WireRefusal, WireRequest, WireTarget } from '../wire.ts';
import { toolCallId } from '../tool-call-id.ts';
import { frameData, hasEventLine, SseFrameSplitter } from './sse-frames.ts';

/**
 * Upstreams that speak the Messages API themselves. Frames go out as the bytes that came in: signatures, encrypted
 * content, padding, and events newer than us survive by construction. Each frame is read on the side, for usage.
 */

/** Events carry at most one content block; the largest are encrypted search results. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

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
  countsPromptAtStart: true,
  credentialHeaders: (credential) => ({ 'x-api-key': credential }),
  decode,
  readRefusal,
};

/** POST /v1/messages/count_tokens of an upstream that has it; the fields that only matter to generation are left out. */
export function encodeCountTokens(request: MessagesRequest, target: WireTarget, client: ClientHeaders): WireRequest {
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

async function* decode(body: AsyncIterable<Buffer>, { target }: DecodeContext): AsyncGenerator<AnswerEvent[], void> {
  const splitter = new SseFrameSplitter(MAX_FRAME_BYTES);
  let started = false;
  let ended = false;
  for await (const chunk of body) {
    const events: AnswerEvent[] = [];
    for (const frame of splitter.push(chunk)) {
      const data = parseFrame(frame);
      // Some upstreams repeat message_start after a retry of their own; a client can only take one.
      if (!data || (data.type === 'message_start' && started)) continue;
      started ||= data.type === 'message_start';
      ended ||= data.type === 'message_stop' || data.type === 'error';
      events.push(toAnswerEvent(data, frame, target));
      // What stands behind the end belongs to no answer of ours.
      if (ended) break;
    }
    if (events.length > 0) yield events;
    if (ended) return;
  }
  const last = parseFrame(splitter.rest());
  if (last?.type === 'message_stop') yield [{ data: last }];
  else throw new UpstreamError('broken', 'The provider ended its answer before it was complete');
}

/** The event with its own bytes, where clients can take these: most of them dispatch on the line `event:`. */
function toAnswerEvent(data: MessagesEvent, frame: Buffer, target: WireTarget): AnswerEvent {
  if (target.quirks.own_signatures && data.type === 'content_block_delta' && data.delta.type === 'signature_delta') {
    const signature = ownSignature(target.providerId, data.delta.signature);
    return { data: { ...data, delta: { type: 'signature_delta', signature } } };
  }
  return hasEventLine(frame) ? { data, raw: frame } : { data };
}

/** The event of a frame; undefined for comments and for data that is not JSON of the Messages API. */
function parseFrame(frame: Buffer): MessagesEvent | undefined {
  const text = frameData(frame);
  if (text === undefined || text === '[DONE]') return undefined;
  try {
    const data = JSON.parse(text) as { type?: unknown } | null;
    return typeof data?.type === 'string' ? (data as MessagesEvent) : undefined;
  } catch {
    return undefined;
  }
}

function readRefusal(body: string): WireRefusal {
  try {
    const { error } = JSON.parse(body) as { error?: { type?: unknown; message?: unknown } };
    if (typeof error?.message === 'string') {
      return { type: typeof error.type === 'string' ? error.type : undefined, message: error.message };
    }
  } catch {
    // Not the Messages API's own envelope: a proxy in front of it answered.
  }
  return { type: undefined, message: 'The provider refused the request without saying why' };
}
