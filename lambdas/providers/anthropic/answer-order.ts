import type { Block, MessagesEvent, WireUsage } from '../../messages/types.ts';
import { UpstreamError } from '../upstream-http.ts';

/**
 * The grammar of a streamed answer, held against what a provider really sends. Clients crash on, or silently lose, what
 * breaks it: a delta for a block that nobody opened, an answer without a beginning, text after the end.
 *
 * Guarantee: what passes has the fields that its type promises, in an order that every client understands.
 */
export class AnswerOrder {
  #started = false;
  #closing = false;
  /** Types of the blocks that are open, by index. */
  readonly #open = new Map<number, string>();
  #nextIndex = 0;
  /** What the provider's own indices are behind ours since it began anew. */
  #offset = 0;
  readonly #estimatedInputTokens: number;

  constructor(estimatedInputTokens: number) {
    this.#estimatedInputTokens = estimatedInputTokens;
  }

  /**
   * @returns what a client may see of the event: itself, what was mended of it, or nothing
   * @throws {UpstreamError} when no client could make sense of it
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
        this.#demand(this.#started && !this.#closing, 'a block outside of its answer');
        this.#demand(isRecord(block) && isText(block.type), 'a block without a type');
        this.#demand(event.index + this.#offset === this.#nextIndex, 'a block out of order');
        this.#open.set(this.#nextIndex, block.type);
        this.#nextIndex += 1;
        return [this.#numbered(event)];
      }
      case 'content_block_delta':
        this.#demand(this.#open.has(event.index + this.#offset), 'a part of a block that is not open');
        this.#demand(isRecord(event.delta) && isDelta(event.delta), 'a part without its content');
        return [this.#numbered(event)];
      case 'content_block_stop':
        this.#demand(this.#open.delete(event.index + this.#offset), 'the end of a block that is not open');
        return [this.#numbered(event)];
      case 'message_delta':
        this.#demand(this.#started && isRecord(event.delta), 'an ending without its content');
        if (isText(event.delta.stop_reason)) this.#closing = true;
        return [isRecord(event.usage) ? event : { ...event, usage: {} }];
      case 'message_stop':
        this.#demand(this.#closing, 'an end without a reason');
        return [event];
      default:
        // Newer than us: passed on, as the protocol asks of its clients.
        this.#demand(this.#started, 'an event before the answer began');
        return [event];
    }
  }

  /**
   * Some upstreams begin anew after a retry of their own. A client can take one beginning: what was open is closed, and
   * the blocks that follow are counted on. A call in pieces cannot be taken back, and nobody should run half of one.
   */
  #startAnew(): MessagesEvent[] {
    const types = [...this.#open.values()];
    this.#demand(!types.includes('tool_use') && !this.#closing, 'another answer in the middle of a call');
    const stops = [...this.#open.keys()].map((index): MessagesEvent => ({ type: 'content_block_stop', index }));
    this.#open.clear();
    this.#offset = this.#nextIndex;
    return stops;
  }

  #numbered<Event extends { index: number }>(event: Event): Event {
    return this.#offset === 0 ? event : { ...event, index: event.index + this.#offset };
  }

  #start(event: Extract<MessagesEvent, { type: 'message_start' }>): MessagesEvent {
    this.#demand(isRecord(event.message), 'a beginning without a message');
    this.#started = true;
    const { content, usage } = event.message as { content: Block[] | undefined; usage: WireUsage | undefined };
    if (Array.isArray(content) && content.length === 0 && isRecord(usage) && usage.input_tokens != null) return event;
    const counted = { input_tokens: this.#estimatedInputTokens, output_tokens: 0 };
    return {
      ...event,
      message: { ...event.message, content: [], usage: { ...counted, ...withoutNulls(isRecord(usage) ? usage : {}) } },
    };
  }

  #demand(holds: boolean, what: string): void {
    if (!holds) throw new UpstreamError('malformed', `The provider sent ${what}`);
  }
}

/** The field in which each kind of delta carries its text. */
const textFields: Record<string, string> = Object.assign(Object.create(null) as Record<string, string>, {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
  signature_delta: 'signature',
});

function isDelta(delta: Record<string, unknown>): boolean {
  if (!isText(delta['type'])) return false;
  const field = textFields[delta['type']];
  return field === undefined || isText(delta[field]);
}

function withoutNulls(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
