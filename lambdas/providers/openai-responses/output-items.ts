/**
 * Reads the items (messages, reasoning, tool calls) of an answer, which may come in pieces, complete, or both. GitHub
 * Copilot gives an item a new id in each event, so items are identified by their index in the output. Some providers
 * reuse an index, so the type and `call_id` are compared too.
 */

import { UpstreamError } from '../http/upstream-error.ts';
import { asArguments, asCallId, asRecords, asText } from '../shapes.ts';
import type { TranslatedAnswer } from '../translated/answer.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { citationOf } from '../translated/citations.ts';
import { ItemOrder } from './item-order.ts';
import { sealReasoning } from './sealed-reasoning.ts';

const MAX_OUTPUT_ITEMS = 4_096;
const MAX_PARTS = 1_024;

/** Kinds of text in an item. A part of an item is identified by its kind and its number within the item. */
export type PartKind = 'text' | 'refusal' | 'summary' | 'reasoning';

interface Part {
  kind: PartKind;
  number: number;
  hasText: boolean;
  /** Number of citations received for this part. */
  sources: number;
}

interface OutputItem {
  index: number;
  /** Type of the item; undefined if its text arrived before the event that announces the item. */
  type: string | undefined;
  /** Id of the tool call; empty for other items. */
  callId: string;
  /** Phase of a message of OpenAI's newer models. */
  phase: string | undefined;
  parts: Map<string, Part>;
  /** Part (a text or a paragraph) that was written last; undefined if nothing was written. */
  current: Part | undefined;
  /** Whether the client got the start of the tool call. */
  isCall: boolean;
  hasArguments: boolean;
  ended: boolean;
}

export class OutputItems {
  hasRefused = false;
  readonly #answer: TranslatedAnswer;
  readonly #providerId: string;
  /** Whether the client expects JSON. Commentary before the JSON then becomes thinking, because clients parse all text. */
  readonly #isJson: boolean;
  /** Items by their index in the output; the last item if the provider reuses the index. */
  readonly #items = new Map<number, OutputItem>();
  #count = 0;
  readonly #order = new ItemOrder();

  constructor(answer: TranslatedAnswer, providerId: string, isJson: boolean) {
    this.#answer = answer;
    this.#providerId = providerId;
    this.#isJson = isJson;
  }

  /**
   * Whether an item other than reasoning has arrived. If not, the answer may be in the last event alone
   * (https://github.com/agentclientprotocol/codex-acp/pull/500).
   */
  get hasAnswer(): boolean {
    return [...this.#items.values()].some(({ type }) => type !== 'reasoning');
  }

  get waitingBytes(): number {
    return this.#order.waitingBytes;
  }

  /** Handles the start of an item. Items other than messages, reasoning and function calls are ignored. */
  begin(index: number, item: Record<string, unknown>): void {
    const type = asText(item['type']);
    if (!['message', 'reasoning', 'function_call'].includes(type)) return;
    const known = this.#items.get(index);
    // Some providers give all items the same index, so another item may begin after the end of the known item.
    if (known && !known.ended) {
      if (isAnother(known, item)) throw overlappingItem();
      return;
    }
    if (known && type === 'function_call' && !isAnother(known, item)) return;
    this.#answer.start();
    const begun = this.#add(index, type);
    begun.phase = asText(item['phase']) || undefined;
    this.#order.begin(index);
    if (type === 'function_call') this.#announce(begun, item);
  }

  /** Writes a delta of one part of an item. Each text part of an answer becomes its own block. */
  say(index: number, kind: PartKind, number: unknown, text: string, logprobs?: TokenLogprob[]): void {
    if (text === '' && !logprobs) return;
    const item = this.#item(index);
    const part = partOf(item, kind, number);
    const isNew = item.current !== part;
    const isFirst = item.current === undefined;
    item.current = part;
    part.hasText ||= text !== '';
    if (kind === 'refusal') this.hasRefused = true;
    const { blocks } = this.#answer;
    this.#order.writeText(index, text, () => {
      const isCommentary = kind === 'text' && this.#isJson && item.phase === 'commentary';
      if ((kind === 'text' || kind === 'refusal') && !isCommentary) {
        if (isNew) blocks.endProse();
        if (kind === 'refusal') blocks.refusal(text);
        else blocks.text(text, logprobs, item.phase);
        return;
      }
      if (isFirst) blocks.endProse();
      // Each part of a reasoning summary is a paragraph.
      blocks.thinking(isNew && !isFirst ? `\n\n${text}` : text);
    });
  }

  /** Writes the complete text of a part, unless deltas of the part were already written. */
  sayWhole(index: number, kind: PartKind, number: unknown, text: string, logprobs?: TokenLogprob[]): void {
    if (text !== '' && !partOf(this.#item(index), kind, number).hasText) this.say(index, kind, number, text, logprobs);
  }

  /** Adds a citation to a text part. */
  cite(index: number, number: unknown, annotation: Record<string, unknown>): void {
    partOf(this.#item(index), 'text', number).sources += 1;
    const citation = citationOf(annotation);
    if (citation) this.#order.write(index, '', () => this.#answer.blocks.citation(citation));
  }

  /**
   * Writes a delta of a call's arguments. A delta before the call's name is dropped: the last event of the item has the
   * name and all arguments.
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

  /** Handles the end of an item. Output of the complete item that is still missing is written now. */
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
    // An unannounced item has the type of its end, so that another item may follow at the same index.
    ending.type ??= asText(item['type']);
    ending.ended = true;
  }

  /** Handles the end of the answer: writes all output that still waits for earlier items. */
  finish(): void {
    this.#order.drain();
  }

  #endMessage(ending: OutputItem, item: Record<string, unknown>): void {
    const { index } = ending;
    for (const [number, part] of numberedParts(ending, ['text', 'refusal'], item['content'])) {
      this.sayWhole(index, 'text', number, asText(part['text']), this.#answer.logprobsIn(part['logprobs']));
      this.sayWhole(index, 'refusal', number, asText(part['refusal']));
      // Some providers send citations only at the end of the item.
      const { sources } = partOf(ending, 'text', number);
      for (const annotation of asRecords(part['annotations']).slice(sources)) this.cite(index, number, annotation);
    }
    this.#order.end(index, () => this.#answer.blocks.endProse());
  }

  #endReasoning(ending: OutputItem, item: Record<string, unknown>): void {
    const { index } = ending;
    for (const [field, kind] of [
      ['summary', 'summary'],
      ['content', 'reasoning'],
    ] as const) {
      for (const [number, part] of numberedParts(ending, [kind], item[field])) {
        this.sayWhole(index, kind, number, asText(part['text']));
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

  /** Returns the item at an index. Later items do not wait for the end of an item that was not announced. */
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
      phase: undefined,
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

/** Returns whether an item differs from the known item at the same index. */
function isAnother({ type, callId }: OutputItem, item: Record<string, unknown>): boolean {
  if (type === undefined) return false;
  const id = asCallId(item['call_id']);
  return type !== item['type'] || (callId !== '' && id !== '' && callId !== id);
}

function overlappingItem(): UpstreamError {
  return new UpstreamError('malformed', 'The provider began a part of its answer in the place of another');
}

/**
 * Returns the parts of an item with the numbers that their deltas had, usually their indexes. Bedrock's deltas may have
 * larger numbers, because they also count parts that the complete item lacks.
 */
function numberedParts(
  { parts }: OutputItem,
  kinds: readonly PartKind[],
  list: unknown,
): [number, Record<string, unknown>][] {
  const values = asRecords(list);
  const known = [...parts.values()].filter(({ kind }) => kinds.includes(kind)).map(({ number }) => number);
  const numbers = [...new Set(known)];
  if (numbers.every((number) => number < values.length)) return [...values.entries()];
  const next = Math.max(...numbers) + 1;
  return values.map((value, place) => [numbers[place] ?? next + place, value]);
}

function partOf({ parts }: OutputItem, kind: PartKind, number: unknown): Part {
  const own = Number.isSafeInteger(number) ? (number as number) : 0;
  const name = `${kind} ${own}`;
  const known = parts.get(name);
  if (known) return known;
  if (parts.size >= MAX_PARTS) throw new UpstreamError('malformed', 'The answer has too many parts');
  const part: Part = { kind, number: own, hasText: false, sources: 0 };
  parts.set(name, part);
  return part;
}
