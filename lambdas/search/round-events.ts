import { SEARCH_NAME } from '../messages/search-tool.ts';
import type { AnswerEvent, Block, Delta, MessagesEvent } from '../messages/types.ts';
import { newSearchId } from './call-ids.ts';
import { CitedText, type TextPart } from './cited-text.ts';
import { excerpt } from './excerpt.ts';
import type { Seals } from './seals.ts';
import type { Sources } from './sources.ts';

/** An open block of the model. */
interface OpenRoundBlock {
  /** The client's block for it; undefined for a text without new output so far. */
  index: number | undefined;
  /** Finds markers in a text; undefined if nothing can be cited. */
  cited: CitedText | undefined;
}

interface RoundRules {
  /** The client has declared the search. Otherwise, a function of that name is the client's own. */
  isDeclared: boolean;
  /** Text may cite sources. A structured answer may not: its brackets are lists. */
  mayCite: boolean;
}

/**
 * The events of an answer with searches, over all rounds. A call of the search becomes a server tool call, text is
 * split at citations, and indices continue across rounds. Other events are passed on unchanged.
 *
 * Guarantee: every block is opened and closed once, and indices are contiguous.
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

  /** A complete block of the gateway's own. */
  whole(block: Block): AnswerEvent[] {
    const index = this.#nextIndex++;
    return [started(index, block), stopped(index)];
  }

  /** The client's events for an event of the model; none while text is held back. */
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

  /** The held-back text, if an answer ends in the middle of its text. */
  held(): AnswerEvent[] {
    return [...this.#open.values()].flatMap((open) => this.#parts(open, open.cited?.end() ?? []));
  }

  #begin(event: AnswerEvent, inner: number, block: Block): AnswerEvent[] {
    if (block.type === 'text' && this.#rules.mayCite && this.#sources.count > 0) {
      const open = { index: undefined, cited: new CitedText((number) => this.#sources.get(number) !== undefined) };
      this.#open.set(inner, open);
      return this.#parts(open, open.cited.push((block['text'] as string | undefined) ?? ''));
    }
    const index = this.#nextIndex++;
    this.#open.set(inner, { index, cited: undefined });
    if (block.type === 'tool_use' && block['name'] === SEARCH_NAME && this.#rules.isDeclared) {
      return [started(index, { ...block, type: 'server_tool_use', id: newSearchId() })];
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

  /** A text with sources is a separate block, and names the sources before its text. */
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

  /** Opens the client's block for a text that continues. */
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
