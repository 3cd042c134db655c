import { withoutOwnThinking } from '../../messages/foreign-thinking.ts';
import type { AnswerEvent, MessagesEvent, MessagesRequest } from '../../messages/types.ts';
import { UpstreamError } from '../upstream-http.ts';
import type { ClientHeaders, MessagesWire, WireRefusal, WireRequest, WireTarget } from '../wire.ts';
import { frameData, SseFrameSplitter } from './sse-frames.ts';

/**
 * Upstreams that speak the Messages API themselves. Frames go out as the bytes that came in: signatures, encrypted
 * content, padding, and events newer than us survive by construction. Each frame is read on the side, for usage.
 */

/** Events carry at most one content block; the largest are encrypted search results. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

export const anthropicWire: MessagesWire = {
  encode(request, target, client) {
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
  for (const field of ['stream', 'metadata', 'temperature', 'top_p', 'top_k', 'service_tier']) delete body[field];
  return postJson('/v1/messages/count_tokens', body, client);
}

function upstreamBody(request: MessagesRequest, target: WireTarget): Record<string, unknown> {
  const ceiling = target.maxOutputTokens ?? Infinity;
  return {
    ...request,
    model: target.upstreamModel,
    messages: withoutOwnThinking(request.messages),
    // The Messages API requires max_tokens; a client that left it out gets all that the model can write.
    max_tokens: Math.min(request.max_tokens ?? ceiling, ceiling),
  };
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

async function* decode(body: AsyncIterable<Buffer>): AsyncGenerator<AnswerEvent[], void> {
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
      events.push({ data, raw: frame });
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
