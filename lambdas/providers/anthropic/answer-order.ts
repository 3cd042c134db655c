import type { Block, Delta, MessageDelta, MessagesEvent, StopReason } from '../../messages/types.ts';
import { hasSoundCounts, withSoundCounts } from '../../messages/usage-counts.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { isBlock, isDelta, isNullDelta, isText } from './event-shapes.ts';
import { blockDeltas, emptied, withAllContent } from './whole-blocks.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';

/** Maximum number of content blocks in an answer. */
const MAX_BLOCKS = 10_000;
/** Maximum number of message_delta events that are held back. */
const MAX_WAITING_DELTAS = 16;
const MAX_REASON_CHARACTERS = 64;

type EventOfType<Type> = Extract<MessagesEvent, { type: Type }>;

interface NumberedBlock {
  /** The client's index. */
  index: number;
  type: string;
  /** Content of the start of the block that the client has not got yet. */
  early: Delta[];
  /** Open block of the text or thinking that the provider sends within a call. */
  aside?: NumberedBlock;
}

/**
 * Checks and repairs the order and the fields of a provider's events. Guarantee: the events of blocks follow the order
 * of the Messages API.
 */
export class AnswerOrder {
  #started = false;
  #hasCall = false;
  /** Whether the model itself made a tool call, and not only code that the provider runs. */
  #hasDirectCall = false;
  /** The reported stop reason and stop sequence; undefined until the provider reports them. */
  #reason: Pick<MessageDelta['delta'], 'stop_reason' | 'stop_sequence'> | undefined;
  /** Open blocks by the provider's index. Some services skip or repeat indexes, so the client gets other ones. */
  readonly #open = new Map<number, NumberedBlock>();
  #nextIndex = 0;
  /** message_delta events that are held back until the provider closes the open tool call. */
  readonly #waiting: MessageDelta[] = [];

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
      case 'content_block_start':
        return this.#startBlock(event);
      case 'content_block_delta':
        return this.#continueBlock(event);
      case 'content_block_stop': {
        const open = this.#open.get(event.index);
        this.#demand(this.#started, 'the end of a block before the answer began');
        // The gateway may have closed the block already, or the provider never opened it.
        if (!open) return [];
        this.#open.delete(event.index);
        return [...endOf(open, numbered(event, open.index)), ...this.#released()];
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
    return this.#closeAll();
  }

  /**
   * Handles the start of a block. Blocks are numbered in their order: MiniMax, Z.ai and Kimi skip indexes
   * (https://github.com/MadAppGang/claudish/pull/127), and Ollama starts a block at the index of an open block
   * (https://github.com/ollama/ollama/issues/17101), which ends the open block. Clients refuse both.
   *
   * Some services send arguments or thinking here (https://github.com/openclaw/openclaw/pull/120461,
   * https://github.com/Compresr-ai/Context-Gateway/pull/32), but clients read them only from deltas
   * (https://github.com/AntSeed/antseed/pull/15).
   */
  #startBlock(sent: EventOfType<'content_block_start'>): MessagesEvent[] {
    this.#demand(this.#started && !this.#closing, 'a block outside of an answer');
    this.#demand(isRecord(sent.content_block), 'a block without its content');
    const block = withAllContent(sent.content_block);
    this.#demand(isBlock(block), 'a block without its content');
    const event = block === sent.content_block ? sent : { ...sent, content_block: block };
    this.#demand(Number.isSafeInteger(event.index), 'a block without its index');
    const unclosed = this.#open.get(event.index);
    this.#demand(unclosed?.type !== 'tool_use', 'a block in the middle of a tool call');
    const index = this.#newIndex();
    this.#open.delete(event.index);
    const isCall = block.type === 'tool_use';
    const isByCode = isCalledByCode(block);
    // Anthropic itself sends the arguments of calls by its code here, and its clients read them.
    const early = isByCode ? [] : blockDeltas(block);
    this.#open.set(event.index, { index, type: block.type, early });
    this.#hasCall ||= isCall;
    this.#hasDirectCall ||= isCall && !isByCode;
    const started = early.length === 0 ? event : { ...event, content_block: emptied(block) };
    return [...(unclosed ? endOf(unclosed) : []), numbered(started, index)];
  }

  #continueBlock(event: EventOfType<'content_block_delta'>): MessagesEvent[] {
    const open = this.#open.get(event.index);
    this.#demand(open !== undefined, 'a delta of a block that is not open');
    if (!isDelta(event.delta)) {
      this.#demand(isNullDelta(event.delta), 'a delta without its content');
      return [];
    }
    if (open.early.length === 0) return this.#delta(event, open);
    return [...startDeltas(open, earlyBefore(event.delta, open)), ...this.#delta(event, open)];
  }

  /** Returns the client's index of the next block. */
  #newIndex(): number {
    this.#demand(this.#nextIndex < MAX_BLOCKS, 'more blocks than an answer can have');
    const index = this.#nextIndex;
    this.#nextIndex += 1;
    return index;
  }

  /**
   * Handles a delta. LiteLLM writes thinking into blocks of text (https://github.com/BerriAI/litellm/issues/32357), and
   * SGLang text into tool calls (https://github.com/sgl-project/sglang/issues/24293). Clients refuse both, so such deltas
   * get another block, unless they are empty. White space before a text in a call is dropped. So are signatures of thinking
   * in other blocks, which Claude Code refuses (https://github.com/BerriAI/litellm/pull/32664).
   */
  #delta(event: EventOfType<'content_block_delta'>, open: NumberedBlock): MessagesEvent[] {
    const { delta } = event;
    const isSignature = delta.type === 'signature_delta';
    if (isSignature && (open.type === 'text' || open.type === 'tool_use')) return [];
    const thought = delta.type === 'thinking_delta' ? delta.thinking : undefined;
    const words = thought ?? (delta.type === 'text_delta' ? delta.text : undefined);
    const type = thought === undefined ? 'text' : 'thinking';
    if (words === undefined || type === open.type || !['text', 'thinking', 'tool_use'].includes(open.type)) {
      return [numbered(event, open.index)];
    }
    const isInCall = open.type === 'tool_use';
    const earlier = isInCall ? open.aside : open;
    if (words === '' || (!earlier && words.trim() === '')) return [];
    if (earlier?.type === type) return [numbered(event, earlier.index)];
    const index = this.#newIndex();
    const content_block = thought === undefined ? { type, text: '' } : { type, thinking: '', signature: '' };
    const begun: MessagesEvent[] = [{ type: 'content_block_start', index, content_block }, numbered(event, index)];
    if (isInCall) open.aside = { index, type, early: [] };
    else this.#open.set(event.index, { index, type, early: [] });
    return [...(earlier ? endOf(earlier) : []), ...begun];
  }

  /**
   * Returns the events for a message_delta. Before a stop reason, open blocks are closed, because some clients keep a
   * block only after its content_block_stop. Before tool_use, the message_delta waits until the provider closes the
   * call. With max_tokens, blocks stay open.
   */
  #ending(reported: MessageDelta): MessagesEvent[] {
    const event = this.#withReasonOfCalls(reported);
    const { stop_reason: reason } = event.delta;
    if (this.#waiting.length > 0 || (reason === 'tool_use' && this.#hasOpenCall)) {
      this.#demand(this.#waiting.length < MAX_WAITING_DELTAS, 'more endings than an answer can have');
      this.#waiting.push(event);
      return [];
    }
    // Clients keep the values of the last message_delta, so usage alone must not clear the stop reason.
    if (!isText(reason)) return [this.#closing ? { ...event, delta: { ...event.delta, ...this.#reason } } : event];
    this.#reason = { stop_reason: reason, stop_sequence: event.delta.stop_sequence };
    if (reason === 'max_tokens') return [...[...this.#open.values()].flatMap(earlyOf), event];
    return [...this.#closeAll(), event];
  }

  /**
   * Replaces end_turn by tool_use if the answer has calls, and the reverse if it has none. Services that imitate the API
   * report both (https://github.com/earendil-works/pi/issues/9681): clients would run no call, or wait for one.
   */
  #withReasonOfCalls(event: MessageDelta): MessageDelta {
    const { stop_reason: reason } = event.delta;
    if (reason === 'end_turn' && this.#hasDirectCall) return withStopReason(event, 'tool_use');
    return reason === 'tool_use' && !this.#hasCall ? withStopReason(event, 'end_turn') : event;
  }

  /** Returns the message_delta events that were held back, if no tool call is open. */
  #released(): MessagesEvent[] {
    return this.#hasOpenCall ? [] : this.#waiting.splice(0).flatMap((event) => this.#ending(event));
  }

  get #closing(): boolean {
    return this.#reason !== undefined;
  }

  get #hasOpenCall(): boolean {
    return [...this.#open.values()].some(({ type }) => type === 'tool_use');
  }

  #closeAll(): MessagesEvent[] {
    const stops = [...this.#open.values()].flatMap((block) => endOf(block));
    this.#open.clear();
    return stops;
  }

  #start(event: EventOfType<'message_start'>): MessagesEvent {
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

  #demand(holds: boolean, what: string): asserts holds {
    if (!holds) throw new UpstreamError('malformed', `The provider sent ${what}`);
  }
}

function withStopReason(event: MessageDelta, reason: StopReason): MessageDelta {
  return { ...event, delta: { ...event.delta, stop_reason: reason } };
}

/** Returns an event of a block with the client's index. */
function numbered<Event extends { index: number }>(event: Event, index: number): Event {
  return event.index === index ? event : { ...event, index };
}

/** Returns the events that end a block. */
function endOf(block: NumberedBlock, stop?: MessagesEvent): MessagesEvent[] {
  const { aside, index } = block;
  return [...(aside ? endOf(aside) : []), ...earlyOf(block), stop ?? { type: 'content_block_stop', index }];
}

function startDeltas({ index }: Pick<NumberedBlock, 'index'>, deltas: Delta[]): MessagesEvent[] {
  return deltas.map((delta) => ({ type: 'content_block_delta', index, delta }));
}

/** Takes the early content of a block, and returns it as events. */
function earlyOf(block: NumberedBlock): MessagesEvent[] {
  return startDeltas(block, block.early.splice(0));
}

/** Takes and returns the early content that precedes a delta. Content that the delta repeats is dropped. */
function earlyBefore(delta: Delta, block: NumberedBlock): Delta[] {
  const content = deltaContent(delta);
  // White space between arguments has no meaning.
  if ((delta.type === 'input_json_delta' ? content.trim() : content) === '') return [];
  const { early } = block;
  block.early = early.filter(({ type }) => type !== delta.type && type !== 'thinking_delta');
  return early.filter((one) => !block.early.includes(one) && !isRepeated(one, delta));
}

/** Whether a delta begins with early content. Arguments and signatures are always repeated, never continued. */
function isRepeated(early: Delta, delta: Delta): boolean {
  if (early.type !== delta.type) return false;
  const isText = early.type === 'text_delta' || early.type === 'thinking_delta';
  return !isText || deltaContent(delta).startsWith(deltaContent(early));
}

function deltaContent(delta: Delta): string {
  return Object.values({ ...delta, type: '' }).join('');
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
