import type { Block, MessageDelta, MessagesEvent } from '../../messages/types.ts';
import { hasSoundCounts, withSoundCounts } from '../../messages/usage-counts.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { isBlock, isDelta, isText } from './event-shapes.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';

/** Maximum number of content blocks in an answer. */
const MAX_BLOCKS = 10_000;
/** Maximum number of message_delta events that are held back. */
const MAX_WAITING_DELTAS = 16;
const MAX_REASON_CHARACTERS = 64;

/**
 * Checks and repairs the order and the fields of a provider's events. Guarantee: the events of blocks follow the order
 * of the Messages API.
 */
export class AnswerOrder {
  #started = false;
  /** Whether the answer contains a tool call by the model itself, and not by code that the provider runs. */
  #hasCall = false;
  /** The reported stop reason and stop sequence; undefined until the provider reports them. */
  #reason: Pick<MessageDelta['delta'], 'stop_reason' | 'stop_sequence'> | undefined;
  /** Types of the open blocks, by the block's index for the client. */
  readonly #open = new Map<number, string>();
  #nextIndex = 0;
  /**
   * Indexes of the blocks that the gateway closed at the stop reason. The provider may still send content_block_stop
   * for them.
   */
  readonly #closedEarly = new Set<number>();
  /** message_delta events that are held back until the provider closes the open tool call. */
  readonly #waiting: MessageDelta[] = [];
  /** Number to add to the provider's index of a block to get the client's index; 0 until a second message_start. */
  #offset = 0;

  /**
   * Checks one event.
   * @returns events for the client: the event itself, a repaired event, events that end open blocks, or none
   * @throws {UpstreamError} if the event violates the grammar and cannot be repaired
   */
  check(event: MessagesEvent): MessagesEvent[] {
    switch (event.type) {
      case 'ping':
      case 'error':
        return [event];
      case 'message_start':
        return this.#started ? this.#startAnew() : [this.#start(event)];
      case 'content_block_start': {
        const { content_block: block } = event;
        this.#demand(this.#started && !this.#closing, 'a block outside of an answer');
        this.#demand(isBlock(block), 'a block without its content');
        this.#demand(this.#indexOf(event) === this.#nextIndex, 'a block out of order');
        this.#demand(this.#nextIndex < MAX_BLOCKS, 'more blocks than an answer can have');
        this.#open.set(this.#nextIndex, block.type);
        this.#hasCall ||= block.type === 'tool_use' && !isCalledByCode(block);
        this.#nextIndex += 1;
        return [this.#numbered(event)];
      }
      case 'content_block_delta':
        this.#demand(this.#open.has(this.#indexOf(event)), 'a delta of a block that is not open');
        this.#demand(isDelta(event.delta), 'a delta without its content');
        return [this.#numbered(event)];
      case 'content_block_stop': {
        const index = this.#indexOf(event);
        if (this.#closedEarly.delete(index)) return [];
        this.#demand(this.#open.delete(index), 'the end of a block that is not open');
        return [this.#numbered(event), ...this.#released()];
      }
      case 'message_delta':
        this.#demand(this.#started && isRecord(event.delta), 'an ending without its content');
        this.#demand(isReason(event.delta.stop_reason), 'a stop reason that is not a text');
        this.#demand(
          event.delta.stop_sequence == null || isText(event.delta.stop_sequence),
          'a stop sequence that is not a text',
        );
        return this.#ending(isSound(event.usage) ? event : { ...event, usage: withSoundCounts(event.usage) });
      case 'message_stop':
        this.#demand(this.#waiting.length === 0, 'an end in the middle of a tool call');
        this.#demand(this.#closing, 'an end without a stop reason');
        return [event];
      default:
        // Newer event types are forwarded, as the Messages API's documentation requires.
        this.#demand(this.#started, 'an event before the answer began');
        return [event];
    }
  }

  /**
   * Handles a second message_start. Some providers send it after an internal retry, but a client accepts only one. With
   * an open tool call, the method throws: the call cannot be withdrawn, and must not be run incomplete.
   */
  #startAnew(): MessagesEvent[] {
    this.#demand(!this.#closing, 'another answer after the end of one');
    this.#demand(!this.#hasOpenCall, 'another answer in the middle of a tool call');
    const stops = this.#closeAll();
    this.#offset = this.#nextIndex;
    return stops;
  }

  /**
   * Returns the events for a message_delta. Before a stop reason, open blocks are closed, because some clients keep a
   * block only after its content_block_stop. Before tool_use, the message_delta waits until the provider closes the
   * call. With max_tokens, blocks stay open.
   */
  #ending(reported: MessageDelta): MessagesEvent[] {
    const event = this.#hasCall ? withReasonOfCalls(reported) : reported;
    const { stop_reason: reason } = event.delta;
    if (this.#waiting.length > 0 || (reason === 'tool_use' && this.#hasOpenCall)) {
      this.#demand(this.#waiting.length < MAX_WAITING_DELTAS, 'more endings than an answer can have');
      this.#waiting.push(event);
      return [];
    }
    // Clients keep the values of the last message_delta, so usage alone must not clear the stop reason.
    if (!isText(reason)) return [this.#closing ? { ...event, delta: { ...event.delta, ...this.#reason } } : event];
    this.#reason = { stop_reason: reason, stop_sequence: event.delta.stop_sequence };
    if (reason === 'max_tokens') return [event];
    for (const index of this.#open.keys()) this.#closedEarly.add(index);
    return [...this.#closeAll(), event];
  }

  /** Returns the message_delta events that were held back, if no tool call is open. */
  #released(): MessagesEvent[] {
    return this.#hasOpenCall ? [] : this.#waiting.splice(0).flatMap((event) => this.#ending(event));
  }

  get #closing(): boolean {
    return this.#reason !== undefined;
  }

  get #hasOpenCall(): boolean {
    return [...this.#open.values()].includes('tool_use');
  }

  #closeAll(): MessagesEvent[] {
    const stops = [...this.#open.keys()].map((index): MessagesEvent => ({ type: 'content_block_stop', index }));
    this.#open.clear();
    return stops;
  }

  /**
   * Returns the client's index of a block; NaN if the provider's index is not a number: `+` would concatenate a string
   * and the offset.
   */
  #indexOf({ index }: { index: unknown }): number {
    return typeof index === 'number' ? index + this.#offset : NaN;
  }

  #numbered<Event extends { index: number }>(event: Event): Event {
    return this.#offset === 0 ? event : { ...event, index: event.index + this.#offset };
  }

  #start(event: Extract<MessagesEvent, { type: 'message_start' }>): MessagesEvent {
    const { message } = event;
    this.#demand(isRecord(message), 'a beginning without a message');
    this.#started = true;
    const { type, role, content, usage } = message as Record<string, unknown>;
    const isEmpty = Array.isArray(content) && content.length === 0;
    if (type === 'message' && role === 'assistant' && isEmpty && isSound(usage)) return event;
    return {
      ...event,
      message: { ...message, type: 'message', role: 'assistant', content: [], usage: withSoundCounts(usage) },
    };
  }

  #demand(holds: boolean, what: string): void {
    if (!holds) throw new UpstreamError('malformed', `The provider sent ${what}`);
  }
}

function isSound(usage: unknown): boolean {
  return isRecord(usage) && hasSoundCounts(usage);
}

function isReason(reason: unknown): boolean {
  return reason === null || reason === undefined || (isText(reason) && reason.length <= MAX_REASON_CHARACTERS);
}

/** Returns whether the provider's own code execution made the call. */
function isCalledByCode(block: Block): boolean {
  const caller = block['caller'];
  return isRecord(caller) && caller['type'] !== 'direct';
}

/**
 * Replaces end_turn by tool_use. Some services that imitate the API report end_turn after tool calls, and clients then
 * run none of the calls.
 */
function withReasonOfCalls(event: MessageDelta): MessageDelta {
  return event.delta.stop_reason === 'end_turn'
    ? { ...event, delta: { ...event.delta, stop_reason: 'tool_use' } }
    : event;
}
