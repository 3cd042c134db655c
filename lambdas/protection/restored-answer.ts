/**
 * Restores the client's own values in the events of an answer. Signatures and encrypted data contain no placeholders.
 */

import type { AnswerEvent, Block, Delta, MessagesEvent } from '../messages/types.ts';
import type { Sink } from '../platform/concurrency/sink.ts';
import { isRawNumber } from '../platform/json/exact-json.ts';
import { Originals, RestoredText } from './restored-text.ts';

/** Deltas that append to a text, with the field that contains it. */
const growing = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  input_json_delta: 'partial_json',
  transcript_delta: 'transcript',
} as const;
type Growing = keyof typeof growing;

/** `type` is the kind of delta in which held-back text is sent. */
interface OpenText {
  type: Growing;
  text: RestoredText;
}

/**
 * Sends the events of an answer with values in place of placeholders. Held-back text is sent before the end of its
 * block, and before a failure.
 * @param send sends the events with placeholders
 */
export async function withOriginals(
  originals: ReadonlyMap<string, string>,
  send: (sink: Sink<AnswerEvent[]>) => Promise<void>,
  sink: Sink<AnswerEvent[]>,
): Promise<void> {
  const answer = new RestoredAnswer(originals);
  try {
    await send((batch) => {
      const restored = batch.flatMap((event) => answer.restore(event));
      return restored.length === 0 || sink(restored);
    });
  } catch (failure) {
    const held = answer.end();
    if (held.length > 0) await sink(held);
    throw failure;
  }
}

class RestoredAnswer {
  readonly #originals: Originals;
  readonly #open = new Map<number, OpenText>();

  constructor(originals: ReadonlyMap<string, string>) {
    this.#originals = new Originals(originals);
  }

  restore(event: AnswerEvent): AnswerEvent[] {
    const { data } = event;
    switch (data.type) {
      case 'content_block_start':
        return [this.#changed(event, data, { content_block: this.#begin(data.index, data.content_block) })];
      case 'content_block_delta':
        return this.#grow(event, data.index, data.delta);
      case 'content_block_stop':
        return [...this.#endOf(data.index), event];
      case 'message_delta':
        return [...this.end(), this.#changed(event, data, { delta: this.#deep(data.delta) as typeof data.delta })];
      default:
        return [event];
    }
  }

  end(): AnswerEvent[] {
    return [...this.#open.keys()].flatMap((index) => this.#endOf(index));
  }

  #begin(index: number, block: Block): Block {
    const type = growingTypeOf(block);
    // The bytes of an image contain nothing to restore.
    if (block.type === 'image') return block;
    if (type === undefined) return this.#deep(block) as Block;
    const opened = { type, text: new RestoredText(this.#originals, type === 'input_json_delta') };
    this.#open.set(index, opened);
    const field = growing[type];
    const beginning = block[field];
    // The input of a tool call is an object: a complete one, or an empty one, after which deltas with its JSON follow.
    if (typeof beginning !== 'string') return this.#deep(block) as Block;
    const { [field]: _, ...others } = block;
    const restored = opened.text.push(beginning);
    const deep = this.#deep(others) as Block;
    return restored === beginning && deep === others ? block : { ...block, ...deep, [field]: restored };
  }

  #grow(event: AnswerEvent, index: number, delta: Delta): AnswerEvent[] {
    // A signature ends the thinking, so held-back text must be sent before it.
    if (delta.type === 'signature_delta') return [...this.#endOf(index), event];
    if (delta.type === 'audio_delta') return [event];
    if (!isGrowing(delta.type)) return [this.#withDelta(event, this.#deep(delta) as Delta)];
    const { type } = delta;
    const field = growing[type];
    const piece = (delta as Record<string, unknown>)[field];
    if (typeof piece !== 'string') return [event];
    const opened = this.#openText(index, type);
    const restored = opened.text.push(piece);
    if (restored === piece) return [event];
    return restored === '' ? [] : [this.#withDelta(event, { ...delta, [field]: restored })];
  }

  /**
   * Returns the text of a block that deltas of this type continue. A block of an unknown kind may have any of these
   * deltas.
   */
  #openText(index: number, type: Growing): OpenText {
    const open = this.#open.get(index);
    if (open?.type === type) return open;
    const opened = { type, text: new RestoredText(this.#originals, type === 'input_json_delta') };
    this.#open.set(index, opened);
    return opened;
  }

  #endOf(index: number): AnswerEvent[] {
    const open = this.#open.get(index);
    const held = open?.text.end() ?? '';
    if (!open || held === '') return [];
    const delta = { type: open.type, [growing[open.type]]: held } as unknown as Delta;
    return [{ data: { type: 'content_block_delta', index, delta } }];
  }

  #withDelta(event: AnswerEvent, delta: Delta): AnswerEvent {
    return this.#changed(event, event.data as Extract<MessagesEvent, { delta: Delta }>, { delta });
  }

  #changed<Data extends MessagesEvent>(event: AnswerEvent, data: Data, fields: Partial<Data>): AnswerEvent {
    const isSame = Object.entries(fields).every(([field, value]) => value === data[field as keyof Data]);
    return isSame ? event : { data: { ...data, ...fields } };
  }

  /** Restores all texts in a complete value; returns the same value if nothing changes. */
  #deep(value: unknown): unknown {
    if (typeof value === 'string') return this.#originals.in(value);
    if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
    if (Array.isArray(value)) {
      const restored = value.map((each) => this.#deep(each));
      return restored.every((each, index) => each === value[index]) ? value : restored;
    }
    let isChanged = false;
    const entries = Object.entries(value).map(([field, before]) => {
      const [name, after] = [this.#originals.in(field), this.#deep(before)];
      isChanged ||= name !== field || after !== before;
      return [name, after] as const;
    });
    return isChanged ? Object.fromEntries(entries) : value;
  }
}

function isGrowing(type: string): type is Growing {
  return Object.hasOwn(growing, type);
}

function growingTypeOf({ type }: Block): Growing | undefined {
  switch (type) {
    case 'text':
      return 'text_delta';
    case 'thinking':
      return 'thinking_delta';
    case 'tool_use':
    case 'server_tool_use':
      return 'input_json_delta';
    case 'audio':
      return 'transcript_delta';
    default:
      return undefined;
  }
}
