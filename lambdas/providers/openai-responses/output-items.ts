/**
 * Items of an answer. A provider may send an item in pieces, complete at its end, or both. Items are identified only by
 * their index in the output: GitHub Copilot gives an item a new id in each event.
 */

import { UpstreamError } from '../http/upstream-error.ts';
import { asArguments, asCallId, asList, asRecord, asText } from '../shapes.ts';
import type { TranslatedAnswer } from '../translated/answer.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { citationOf } from '../translated/citations.ts';
import { ItemOrder } from './item-order.ts';
import { sealReasoning } from './sealed-reasoning.ts';

/** More than any answer has. */
const MAX_OUTPUT_ITEMS = 4_096;
const MAX_PARTS = 1_024;

/** Kinds of item parts with text. A part is identified by its kind and its number. */
export type PartKind = 'text' | 'refusal' | 'summary' | 'reasoning';

interface Part {
  hasWords: boolean;
  /** Number of citations received for it. */
  sources: number;
}

interface OutputItem {
  index: number;
  /** Undefined for an item that was never announced. */
  type: string | undefined;
  /** Id of a call. */
  callId: string;
  parts: Map<string, Part>;
  /** The part that was written last; undefined before any text. */
  current: Part | undefined;
  /** Whether its call was announced. */
  isCall: boolean;
  hasArguments: boolean;
  ended: boolean;
}

export class OutputItems {
  hasRefused = false;
  readonly #answer: TranslatedAnswer;
  readonly #providerId: string;
  /** The last item at each index. */
  readonly #items = new Map<number, OutputItem>();
  #count = 0;
  readonly #order = new ItemOrder();

  constructor(answer: TranslatedAnswer, providerId: string) {
    this.#answer = answer;
    this.#providerId = providerId;
  }

  get isEmpty(): boolean {
    return this.#items.size === 0;
  }

  get waitingBytes(): number {
    return this.#order.waitingBytes;
  }

  /** Items of other types are tools that the provider runs itself. They are not passed on. */
  begin(index: number, item: Record<string, unknown>): void {
    const type = asText(item['type']);
    if (!['message', 'reasoning', 'function_call'].includes(type)) return;
    const known = this.#items.get(index);
    // Some providers give all items the same index. If an item begins at the index of an ended item, it is a new item.
    if (known && !known.ended) {
      if (isAnother(known, item)) throw inThePlaceOfAnother();
      return;
    }
    if (known && type === 'function_call' && !isAnother(known, item)) return;
    this.#answer.start();
    const begun = this.#add(index, type);
    this.#order.begin(index);
    if (type === 'function_call') this.#announce(begun, item);
  }

  /** Writes a delta of a part. */
  say(index: number, kind: PartKind, number: unknown, words: string, logprobs?: TokenLogprob[]): void {
    if (words === '') return;
    const item = this.#item(index);
    const part = partOf(item, kind, number);
    const isNew = item.current !== part;
    const isFirst = item.current === undefined;
    item.current = part;
    part.hasWords = true;
    if (kind === 'refusal') this.hasRefused = true;
    const { blocks } = this.#answer;
    this.#order.writeText(index, words, () => {
      if (kind === 'text' || kind === 'refusal') {
        if (isNew) blocks.endProse();
        if (kind === 'refusal') blocks.refusal(words);
        else blocks.text(words, logprobs);
        return;
      }
      if (isFirst) blocks.endProse();
      // Parts of a summary are paragraphs.
      blocks.thinking(isNew && !isFirst ? `\n\n${words}` : words);
    });
  }

  /** Writes a complete part, which is either repeated after its deltas or comes without any. */
  sayWhole(index: number, kind: PartKind, number: unknown, words: string, logprobs?: TokenLogprob[]): void {
    if (words !== '' && !partOf(this.#item(index), kind, number).hasWords)
      this.say(index, kind, number, words, logprobs);
  }

  /** Adds a citation to a text. */
  cite(index: number, number: unknown, annotation: Record<string, unknown>): void {
    partOf(this.#item(index), 'text', number).sources += 1;
    const citation = citationOf(annotation);
    if (citation) this.#order.write(index, '', () => this.#answer.blocks.citation(citation));
  }

  /**
   * Writes a delta of a call's arguments. For a call without a name, the complete arguments come again with its name.
   */
  passArguments(index: number, json: string): void {
    const item = this.#items.get(index);
    if (!item?.isCall || item.ended || json === '') return;
    item.hasArguments = true;
    const piece = { index, id: undefined, name: undefined, arguments: json };
    this.#order.write(index, json, () => this.#answer.blocks.toolCall(piece));
  }

  passWholeArguments(index: number, value: unknown): void {
    if (!this.#items.get(index)?.hasArguments) this.passArguments(index, asArguments(value));
  }

  /** Handles an item in its final state, with all of its parts. */
  end(index: number, item: Record<string, unknown>): void {
    const known = this.#items.get(index);
    if (!known?.ended || isAnother(known, item)) this.begin(index, item);
    const ending = this.#items.get(index);
    if (!ending || ending.ended) return;
    switch (item['type']) {
      case 'message':
        this.#endMessage(ending, item);
        break;
      case 'reasoning':
        this.#endReasoning(ending, item);
        break;
      case 'function_call':
        if (!ending.isCall) this.#announce(ending, item);
        this.passWholeArguments(index, item['arguments']);
        this.#order.end(index, () => {});
        break;
    }
    ending.ended = true;
  }

  /** Handles the end of the output. */
  finish(): void {
    this.#order.drain();
  }

  #endMessage(ending: OutputItem, item: Record<string, unknown>): void {
    const { index } = ending;
    for (const [number, value] of asList(item['content']).entries()) {
      const part = asRecord(value);
      this.sayWhole(index, 'text', number, asText(part['text']), this.#answer.logprobsIn(part['logprobs']));
      this.sayWhole(index, 'refusal', number, asText(part['refusal']));
      // Some providers send citations only here.
      const { sources } = partOf(ending, 'text', number);
      for (const annotation of asList(part['annotations']).slice(sources)) {
        this.cite(index, number, asRecord(annotation));
      }
    }
    this.#order.end(index, () => this.#answer.blocks.endProse());
  }

  #endReasoning({ index }: OutputItem, item: Record<string, unknown>): void {
    for (const [field, kind] of [
      ['summary', 'summary'],
      ['content', 'reasoning'],
    ] as const) {
      for (const [number, part] of asList(item[field]).entries()) {
        this.sayWhole(index, kind, number, asText(asRecord(part)['text']));
      }
    }
    const seal = sealReasoning(item, this.#providerId);
    const { blocks } = this.#answer;
    this.#order.end(index, () => (seal === undefined ? blocks.endProse() : blocks.sign(seal)));
  }

  #announce(item: OutputItem, { call_id: id, name }: Record<string, unknown>): void {
    if (asText(name) === '') return;
    item.isCall = true;
    item.callId = asCallId(id);
    const { index } = item;
    const piece = { index, id: item.callId || undefined, name: asText(name), arguments: '' };
    this.#order.write(index, '', () => this.#answer.blocks.toolCall(piece));
  }

  /** The item at an index. An item that was never announced is created here, and no other item waits for it. */
  #item(index: number): OutputItem {
    const known = this.#items.get(index);
    if (known) return known;
    const item = this.#add(index, undefined);
    this.#answer.start();
    return item;
  }

  #add(index: number, type: string | undefined): OutputItem {
    this.#count += 1;
    if (this.#count > MAX_OUTPUT_ITEMS) throw new UpstreamError('malformed', 'The answer has too many parts');
    const item: OutputItem = {
      index,
      type,
      callId: '',
      parts: new Map(),
      current: undefined,
      isCall: false,
      hasArguments: false,
      ended: false,
    };
    this.#items.set(index, item);
    return item;
  }
}

/**
 * Whether an item differs from the known one. Ids are not compared: GitHub Copilot gives an item a new id in each
 * event.
 */
function isAnother({ type, callId }: OutputItem, item: Record<string, unknown>): boolean {
  if (type === undefined) return false;
  const id = asCallId(item['call_id']);
  return type !== item['type'] || (callId !== '' && id !== '' && callId !== id);
}

function inThePlaceOfAnother(): UpstreamError {
  return new UpstreamError('malformed', 'The provider began a part of its answer in the place of another');
}

function partOf({ parts }: OutputItem, kind: PartKind, number: unknown): Part {
  const name = `${kind} ${Number.isSafeInteger(number) ? (number as number) : 0}`;
  const known = parts.get(name);
  if (known) return known;
  if (parts.size >= MAX_PARTS) throw new UpstreamError('malformed', 'The answer has too many parts');
  const part: Part = { hasWords: false, sources: 0 };
  parts.set(name, part);
  return part;
}
