/** Reads answers in the Messages API. Events that need no change are forwarded as the received bytes. */

import { parseForeign, parseForeignExactly } from '../../platform/json/foreign-json.ts';
import type { AnswerBatch, AnswerEvent, Block, MessageBody, MessagesEvent, WireUsage } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import { statesError } from '../faults/error-detection.ts';
import { clientCallId } from '../tool-call-id.ts';
import { ClientCalls } from '../translated/client-calls.ts';
import { decodedBody, type ChunkDecoder, type Reading } from '../decoded-body.ts';
import type { DecodeContext } from '../wire.ts';
import { AnswerOrder } from './answer-order.ts';
import { envelopeOf } from './envelopes.ts';
import type { Framed, Framing } from './framing.ts';
import { LateUsage } from './late-usage.ts';
import { OwnSignatures } from './own-signatures.ts';

/** Matches the JSON of an event that contains a tool call with arguments. */
const ARGUMENTS = /"input"\s*:\s*\{\s*"/;

export function decodeStream(
  body: AsyncIterable<Buffer>,
  context: DecodeContext<AnthropicQuirks>,
): PullIterator<AnswerBatch> {
  return decodedBody(body, new FrameReader(context));
}

/** Maximum number of consecutive pings from one chunk that are forwarded. */
const MAX_PINGS_AT_ONCE = 8;

function isOneOfAFlood({ data }: AnswerEvent, events: readonly AnswerEvent[]): boolean {
  if (data.type !== 'ping' || events.length < MAX_PINGS_AT_ONCE) return false;
  return events.slice(-MAX_PINGS_AT_ONCE).every((event) => event.data.type === 'ping');
}

/** Returns whether an event is the start or end of a block, or a delta that is not empty. */
function isOutput({ data }: AnswerEvent): boolean {
  if (data.type !== 'content_block_delta')
    return data.type === 'content_block_start' || data.type === 'content_block_stop';
  return Object.entries(data.delta).some(([name, value]) => name !== 'type' && value !== '' && value != null);
}

/** Converts a complete message into the events of a streamed answer. */
export function decodeMessage(document: unknown, context: DecodeContext<AnthropicQuirks>): AnswerBatch | undefined {
  const { type, content, stop_reason, stop_sequence, usage, ...message } = document as MessageBody;
  if (type !== 'message' || !Array.isArray(content)) return undefined;
  const order = new AnswerOrder();
  const events: MessagesEvent[] = [
    {
      type: 'message_start',
      message: { ...message, type, content: [], stop_reason: null, stop_sequence: null, usage: usage ?? {} },
    },
    // AnswerOrder divides whole blocks into deltas.
    ...content.flatMap((block, index): MessagesEvent[] => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stop_reason ?? 'end_turn', stop_sequence: stop_sequence ?? null },
      usage: usage ?? {},
    },
    { type: 'message_stop' },
  ];
  const signatures = new OwnSignatures(context.target);
  const calls = new ClientCalls(context.request, envelopeOf(context.target.quirks).toolNames);
  const checked = events.flatMap((event) => order.check(event)).flatMap((event) => signatures.seal(event));
  return { events: checked.map((data) => ({ data: withClientCall(data, calls) })) };
}

class FrameReader implements ChunkDecoder {
  ended = false;
  /** Whether an event with a stop reason was returned. */
  isClosing = false;
  readonly #framing: Framing;
  readonly #lateUsage = new LateUsage();
  readonly #order = new AnswerOrder();
  readonly #signatures: OwnSignatures;
  readonly #calls: ClientCalls;

  constructor({ target, request }: DecodeContext<AnthropicQuirks>) {
    this.#framing = envelopeOf(target.quirks).newFraming();
    this.#signatures = new OwnSignatures(target);
    this.#calls = new ClientCalls(request, envelopeOf(target.quirks).toolNames);
  }

  get pendingBytes(): number {
    return this.#framing.pendingBytes;
  }

  feed(chunk: Buffer): Reading {
    const { events, failure } = this.#readAll(chunk);
    return readingOf(events, failure);
  }

  end(): Reading {
    const { events, failure } = this.#readAll(undefined);
    if (!this.isClosing) return readingOf(events, failure ?? (this.ended ? undefined : endedEarly()));
    if (!this.ended) events.push({ data: { type: 'message_stop' } });
    return readingOf(events, undefined);
  }

  /** Returns the events that a chunk completes; without a chunk, the events in the remaining bytes at the end. */
  #readAll(chunk: Buffer | undefined): { events: AnswerEvent[]; failure: unknown } {
    const events: AnswerEvent[] = [];
    try {
      for (const framed of this.#framing.read(chunk)) {
        for (const event of this.#read(framed)) if (!isOneOfAFlood(event, events)) events.push(event);
        // Data that follows message_stop or an error does not belong to the answer.
        if (this.ended) break;
      }
      return { events, failure: undefined };
    } catch (failure) {
      return { events, failure };
    }
  }

  /** Reads one event of the provider, and returns the events for the client, if any. */
  #read({ json, raw }: Framed): AnswerEvent[] {
    const sent = parseFramed(json);
    if (!sent) return [];
    if (sent.type === 'message_stop' || sent.type === 'error') this.ended = true;
    const events: AnswerEvent[] = [];
    const usage = this.#lateUsage.newIn(sent);
    const sentEvents = usage
      ? [usageDelta(usage), sent].flatMap((event) => this.#order.check(event))
      : this.#order.check(sent);
    for (const checked of sentEvents) {
      for (const sealed of this.#signatures.seal(checked)) {
        const data = withClientCall(sealed, this.#calls);
        if (data.type === 'message_delta' && data.delta.stop_reason) this.isClosing = true;
        events.push(data === sent && raw ? { data, raw } : { data });
      }
    }
    return events;
  }
}

/** Returns a message_delta with only usage, which gets the stop reason of the earlier one. */
function usageDelta(usage: WireUsage): MessagesEvent {
  return { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage };
}

function endedEarly(): UpstreamError {
  return new UpstreamError('broken', 'The provider ended its answer before it was complete');
}

function readingOf(events: AnswerEvent[], failure: unknown): Reading {
  return { batch: events.length > 0 ? { events } : undefined, failure, hasOutput: events.some(isOutput) };
}

/** Replaces a derived tool name by the client's own name, and an id that the conversation already has by a new one. */
function withClientCall(event: MessagesEvent, calls: ClientCalls): MessagesEvent {
  if (event.type !== 'content_block_start' || event.content_block.type !== 'tool_use') return event;
  const block = event.content_block as Block & { id?: string | number | null; name: string };
  const id = clientCallId(calls.idOf(String(block.id ?? ''), event.index));
  const name = calls.nameOf(block.name);
  return id === block.id && name === block.name ? event : { ...event, content_block: { ...block, id, name } };
}

function parseFramed(text: string): MessagesEvent | undefined {
  let data: { type?: unknown } | null;
  try {
    // Arguments of calls are parsed exactly, so that numbers keep their digits. The faster parser rounds numbers.
    data = (ARGUMENTS.test(text) ? parseForeignExactly(text) : parseForeign(text)) as { type?: unknown } | null;
  } catch {
    throw new UpstreamError('malformed', 'The provider sent an event that is not JSON, or has too many values');
  }
  if (typeof data?.type === 'string') return data as MessagesEvent;
  // Some relays send the error object directly, without the `error` event around it.
  return statesError(data) ? { type: 'error', error: data } : undefined;
}
