/**
 * Converts a conversation with searches to the form for the model. Each search becomes a tool call with a result in a
 * later message, and each citation a marker after its text.
 */

import { asBlocks } from '../messages/as-blocks.ts';
import { SEARCH_NAME } from '../messages/search-tool.ts';
import type { Block, Message } from '../messages/types.ts';
import { invalidRequest } from '../platform/errors.ts';
import { partition } from '../platform/partition.ts';
import { modelCallId } from './call-ids.ts';
import type { SealedHit, Seals } from './seals.ts';
import { resultText, Sources, sourceText } from './sources.ts';

export interface SearchHistory {
  messages: Message[];
  sources: Sources;
  /** Ids, as sent by the client, of search calls in the last turn that have no result yet. */
  pending: string[];
  /** For each message, its index in the client's request. */
  origins: number[];
}

/** Returns whether messages have search calls or results. */
export function hasSearches(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => typeof content !== 'string' && content.some(isOfSearch));
}

/**
 * Converts the messages of a request.
 * @param isDeclared whether the request declares the search tool; otherwise, earlier results become user text
 * @throws {GatewayError} 400 for results that were altered, or that belong to no call
 */
export function readHistory(messages: readonly Message[], seals: Seals, isDeclared: boolean): SearchHistory {
  const reader = new HistoryReader(seals, isDeclared);
  for (const [index, message] of messages.entries()) reader.read(message, index);
  return reader.end();
}

/** Converts a text block to the model's own text, with markers in place of citations. */
export function modelText(block: Block, sources: Sources, seals: Seals): Block {
  const { citations, ...text } = block;
  if (!Array.isArray(citations)) return block;
  const [ours, others] = partition(citations as unknown[], isOfWeb);
  if (ours.length === 0) return block;
  const kept = others.length > 0 ? { citations: others } : {};
  return { ...text, ...kept, text: `${block['text'] as string}${markers(ours, sources, seals)}` };
}

/** Joins texts that were split at citations, and removes blank texts, which some providers reject. */
export function joined(blocks: readonly Block[]): Block[] {
  return mergedTurns(blocks).filter((block) => !isPlainText(block) || (block['text'] as string).trim() !== '');
}

function mergedTurns(blocks: readonly Block[]): Block[] {
  const result: Block[] = [];
  for (const block of blocks) {
    const previous = result.at(-1);
    if (previous && isPlainText(previous) && isPlainText(block)) {
      result[result.length - 1] = { type: 'text', text: `${previous['text'] as string}${block['text'] as string}` };
    } else result.push(block);
  }
  return result;
}

interface HistoryCall {
  messageIndex: number;
  /** Index in the client's request of the message with the call. */
  at: number;
  isAnswered: boolean;
}

class HistoryReader {
  readonly #sources = new Sources();
  readonly #messages: Message[] = [];
  readonly #origins: number[] = [];
  readonly #calls = new Map<string, HistoryCall>();
  /** Search queries by the id of the model's call. */
  readonly #queries = new Map<string, string>();
  readonly #seals: Seals;
  readonly #isDeclared: boolean;

  constructor(seals: Seals, isDeclared: boolean) {
    this.#seals = seals;
    this.#isDeclared = isDeclared;
  }

  read(message: Message, index: number): void {
    const { role, content } = message;
    if (
      role !== 'assistant' ||
      typeof content === 'string' ||
      !content.some((block) => isOfSearch(block) || isCited(block))
    ) {
      this.#push(message, index);
      return;
    }
    let pendingBlocks: Block[] = [];
    for (const [position, block] of content.entries()) {
      if (block.type === 'web_search_tool_result') {
        this.#addMessage(pendingBlocks, index);
        pendingBlocks = [];
        this.#answer(block, `messages.${index}.content.${position}`);
        continue;
      }
      const written = this.#asWritten(block, index);
      if (written) pendingBlocks.push(written);
    }
    this.#addMessage(pendingBlocks, index);
  }

  end(): SearchHistory {
    // The last message is determined first, because inserting results moves later messages.
    const last = this.#messages.findLast(({ role }) => role === 'assistant');
    const pending: string[] = [];
    for (const [id, call] of this.#calls) {
      if (call.isAnswered) continue;
      if (this.#messages[call.messageIndex] === last && this.#isDeclared) pending.push(id);
      else this.#result(id, call, { text: 'This search was not made.', isError: true });
    }
    const messages = this.#messages.map((message) => this.#recall(message));
    return { messages, sources: this.#sources, pending, origins: this.#origins };
  }

  #push(message: Message, origin: number): void {
    this.#messages.push(message);
    this.#origins.push(origin);
  }

  #addMessage(pendingBlocks: Block[], origin: number): void {
    const content = joined(pendingBlocks);
    // An empty message is omitted, because some providers reject it.
    if (content.length === 0) return;
    const index = this.#messages.length;
    this.#push({ role: 'assistant', content }, origin);
    for (const call of this.#calls.values()) if (call.messageIndex === -1) call.messageIndex = index;
  }

  #asWritten(block: Block, origin: number): Block | undefined {
    if (isSearchCall(block)) {
      const id = block['id'] as string;
      this.#calls.set(id, { messageIndex: -1, at: origin, isAnswered: false });
      if (!this.#isDeclared) return undefined;
      return { type: 'tool_use', id: modelCallId(id), name: SEARCH_NAME, input: block['input'] };
    }
    return block.type === 'text' ? modelText(block, this.#sources, this.#seals) : block;
  }

  #answer(block: Block, path: string): void {
    const id = block['tool_use_id'] as string;
    const call = this.#calls.get(id);
    if (!call || call.isAnswered) {
      throw invalidRequest(
        `${path}.tool_use_id`,
        `"${id.slice(0, 100)}" is not the id of an earlier ${SEARCH_NAME} call without a result`,
      );
    }
    const { content } = block;
    if (!Array.isArray(content)) {
      const { error_code: code } = content as { error_code: string };
      this.#result(id, call, { text: failureText(code), isError: true });
      return;
    }
    const texts = (content as Block[]).map((result, index) => {
      const hit = this.#open(result, `${path}.content.${index}`);
      if (index === 0 && hit.query !== '') this.#queries.set(modelCallId(id), hit.query);
      return sourceText(this.#sources.add({ ...hit, call: id, result: index }), hit);
    });
    this.#result(id, call, { text: resultText(texts), isError: false });
  }

  #open(result: Block, path: string): SealedHit {
    const opened = this.#seals.openHit(result['encrypted_content']);
    if (opened === 'altered') {
      throw invalidRequest(
        `${path}.encrypted_content`,
        'was altered, or was not encrypted by this gateway for this account; send the block unchanged, or leave out the search',
      );
    }
    // Another service made this search and encrypted the result's text, so only the visible fields are known.
    if (opened === 'foreign') {
      return {
        query: '',
        title: textOr(result['title'], ''),
        url: textOr(result['url'], ''),
        text: '',
        age: textOr(result['page_age'], null),
      };
    }
    return opened.value;
  }

  /** Adds the query to search calls that the client has sent back without it. */
  #recall(message: Message): Message {
    const { content } = message;
    if (this.#queries.size === 0 || typeof content === 'string') return message;
    let isChanged = false;
    const blocks = content.map((block) => {
      const query = block.type === 'tool_use' ? this.#queries.get(block['id'] as string) : undefined;
      if (query === undefined || hasQuery(block['input'])) return block;
      isChanged = true;
      return { ...block, input: { query } };
    });
    return isChanged ? { ...message, content: blocks } : message;
  }

  /** Puts a search result into the user message after its call. */
  #result(id: string, call: HistoryCall, { text, isError }: { text: string; isError: boolean }): void {
    call.isAnswered = true;
    const block: Block = this.#isDeclared
      ? { type: 'tool_result', tool_use_id: modelCallId(id), content: text, ...(isError ? { is_error: true } : {}) }
      : { type: 'text', text: `Results of a web search:\n\n${text}` };
    // A call that was not sent to the model has no position.
    const behind = call.messageIndex === -1 ? this.#messages.length : call.messageIndex + 1;
    const next = this.#messages[behind];
    if (next?.role === 'user') {
      const content = asBlocks(next.content);
      const results = content.findIndex(({ type }) => type !== block.type && type !== 'tool_result');
      const end = results === -1 ? content.length : results;
      this.#messages[behind] = { ...next, content: content.toSpliced(end, 0, block) };
      return;
    }
    this.#messages.splice(behind, 0, { role: 'user', content: [block] });
    this.#origins.splice(behind, 0, this.#origins[behind - 1] ?? call.at);
    for (const other of this.#calls.values()) if (other.messageIndex >= behind) other.messageIndex += 1;
  }
}

function hasQuery(input: unknown): boolean {
  return typeof (input as { query?: unknown } | null)?.query === 'string';
}

/** Returns the text about a failed search for the model. */
export function failureText(code: string): string {
  return `The search failed: ${code}`;
}

/** Whether a block is the model's call of the search tool. */
export function isSearchCall({ type, name }: Block): boolean {
  return type === 'server_tool_use' && name === SEARCH_NAME;
}

function isOfSearch(block: Block): boolean {
  return block.type === 'web_search_tool_result' || isSearchCall(block);
}

function isCited({ type, citations }: Block): boolean {
  return type === 'text' && Array.isArray(citations) && citations.some(isOfWeb);
}

function isOfWeb(citation: unknown): boolean {
  return (citation as { type?: unknown } | null)?.type === 'web_search_result_location';
}

function isPlainText(block: Block): boolean {
  return block.type === 'text' && Object.keys(block).length === 2;
}

/**
 * Returns the markers for citations. A source that is no longer in the conversation has no number, so its citation gets
 * no marker.
 */
function markers(citations: unknown[], sources: Sources, seals: Seals): string {
  const numbers = citations.flatMap((citation) => {
    const opened = seals.openCitation((citation as Block)['encrypted_index']);
    const number = typeof opened === 'string' ? undefined : sources.numberOf(opened.value);
    return number === undefined ? [] : [number];
  });
  const text = [...new Set(numbers)].map((number) => `[${number}]`).join('');
  return text === '' ? '' : ` ${text}`;
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other;
}
