import { DIRECT_CALLER, SEARCH_NAME } from '../messages/search-tool.ts';
import type { AnswerEvent, Block, Delta, MessagesEvent } from '../messages/types.ts';
import { newSearchId } from './call-ids.ts';
import { citedText, type CitedText, type TextPart } from './cited-text.ts';
import { excerpt } from './excerpt.ts';
import type { Seals } from './seals.ts';
import type { Sources } from './sources.ts';

interface OpenRoundBlock {
  /** Index of the client's open block for the text; undefined if there is none. */
  index: number | undefined;
  /** Converts source markers to citations; undefined if the block cannot cite. */
  cited: CitedText | undefined;
}

interface RoundRules {
  /** Whether the client declared the search tool. If not, a function with its name is the client's own. */
  isDeclared: boolean;
  /** Whether the answer may have citations. In a structured answer, brackets mean lists, not markers. */
  mayCite: boolean;
}

/**
 * Converts the events of an answer with searches, over all its requests to the model (rounds). A search call becomes a
 * server tool call, text is split at citations, and block indexes continue across rounds.
 *
 * Guarantee: in a complete answer, every block is opened and closed once, and indexes have no gaps.
 */
export class RoundEvents {
  readonly #sources: Sources;
  readonly #seals: Seals;
  readonly #rules: RoundRules;
  #nextIndex = 0;
  readonly #open = new Map<number, OpenRoundBlock>();

  constructor({ sources, seals }: { sources: Sources; seals: Seals }, rules: RoundRules) {
    this.#sources = sources;
    this.#seals = seals;
    this.#rules = rules;
  }

  /** Returns the events of a block that the gateway itself adds. */
  whole(block: Block): AnswerEvent[] {
    const index = this.#nextIndex++;
    return [started(index, block), stopped(index)];
  }

  /** Returns the client's events for an event of the model. */
  pass(event: AnswerEvent): AnswerEvent[] {
    const { data } = event;
    switch (data.type) {
      case 'content_block_start':
        return this.#begin(event, data.index, data.content_block);
      case 'content_block_delta':
        return this.#grow(event, data.index, data.delta);
      case 'content_block_stop':
        return this.#end(event, data.index);
      default:
        return [event];
    }
  }

  /** Returns held-back text, for an answer that ends in the middle of a text. */
  held(): AnswerEvent[] {
    return [...this.#open.values()].flatMap((open) => this.#parts(open, open.cited?.end() ?? []));
  }

  #begin(event: AnswerEvent, inner: number, block: Block): AnswerEvent[] {
    if (block.type === 'text' && this.#rules.mayCite && this.#sources.count > 0) {
      const open = { index: undefined, cited: citedText((number) => this.#sources.get(number) !== undefined) };
      this.#open.set(inner, open);
      return this.#parts(open, open.cited.push((block['text'] as string | undefined) ?? ''));
    }
    const index = this.#nextIndex++;
    this.#open.set(inner, { index, cited: undefined });
    if (block.type === 'tool_use' && block['name'] === SEARCH_NAME && this.#rules.isDeclared) {
      return [started(index, { ...block, type: 'server_tool_use', id: newSearchId(), caller: DIRECT_CALLER })];
    }
    return [index === inner ? event : started(index, block)];
  }

  #grow(event: AnswerEvent, inner: number, delta: Delta): AnswerEvent[] {
    const open = this.#open.get(inner);
    if (!open) return [event];
    if (open.cited && delta.type === 'text_delta') return this.#parts(open, open.cited.push(delta.text));
    const opening = this.#opening(open);
    const { index } = open;
    return [...opening, index === inner ? event : grown(index!, delta)];
  }

  #end(event: AnswerEvent, inner: number): AnswerEvent[] {
    const open = this.#open.get(inner);
    if (!open) return [event];
    this.#open.delete(inner);
    const rest = open.cited ? this.#parts(open, open.cited.end()) : [];
    if (open.index === undefined) return rest;
    return [...rest, open.index === inner ? event : stopped(open.index)];
  }

  #parts(open: OpenRoundBlock, parts: TextPart[]): AnswerEvent[] {
    return parts.flatMap((part) => ('sources' in part ? this.#citing(open, part) : this.#plain(open, part.text)));
  }

  #plain(open: OpenRoundBlock, text: string): AnswerEvent[] {
    return text === '' ? [] : [...this.#opening(open), grown(open.index!, { type: 'text_delta', text })];
  }

  /** Returns the events of a text with sources: a separate block, with the citations before the text. */
  #citing(open: OpenRoundBlock, { text, sources }: { text: string; sources: number[] }): AnswerEvent[] {
    const before = open.index === undefined ? [] : [stopped(open.index)];
    open.index = undefined;
    const index = this.#nextIndex++;
    const citations = sources.map((number) =>
      grown(index, { type: 'citations_delta', citation: this.#citation(number, text) }),
    );
    return [
      ...before,
      started(index, { type: 'text', text: '', citations: [] }),
      ...citations,
      grown(index, { type: 'text_delta', text }),
      stopped(index),
    ];
  }

  #citation(number: number, claim: string): Block {
    const { title, url, text, call, result } = this.#sources.get(number)!;
    return {
      type: 'web_search_result_location',
      cited_text: excerpt(text, claim),
      url,
      title,
      encrypted_index: this.#seals.sealCitation({ call, result }),
    };
  }

  #opening(open: OpenRoundBlock): AnswerEvent[] {
    if (open.index !== undefined) return [];
    open.index = this.#nextIndex++;
    return [started(open.index, { type: 'text', text: '' })];
  }
}

function started(index: number, block: Block): AnswerEvent {
  return { data: { type: 'content_block_start', index, content_block: block } };
}

function grown(index: number, delta: Delta): AnswerEvent {
  return { data: { type: 'content_block_delta', index, delta } };
}

function stopped(index: number): AnswerEvent {
  const data: MessagesEvent = { type: 'content_block_stop', index };
  return { data };
}
