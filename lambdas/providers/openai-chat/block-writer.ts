import { randomUUID } from 'node:crypto';
import type { Block, MessagesEvent } from '../../messages/types.ts';

/** A piece of a tool call as it arrives; only the first piece is sure to have an id and a name. */
export interface ToolCallPiece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
}

interface ToolCall {
  index: number | undefined;
  id: string;
  name: string;
  arguments: string;
  /** Arguments that were not written yet. */
  unwritten: string;
}

/**
 * Writes content blocks one after another: at most one is open, indices are contiguous, and what belongs to a tool call
 * that is not at its turn waits until the call before it is complete.
 */
export class BlockWriter {
  /** Events written since the last take(). */
  #events: MessagesEvent[] = [];
  #nextIndex = 0;
  #open: { kind: 'text' | 'thinking' | 'tool'; index: number } | undefined;
  readonly #calls: ToolCall[] = [];
  /** Position in #calls of the call whose block is open or was written last. */
  #written = -1;
  /** Text that came between two pieces of one call: its block must not be torn, so the text follows it. */
  #deferredText = '';
  readonly #thinkingSignature: string;

  constructor(thinkingSignature: string) {
    this.#thinkingSignature = thinkingSignature;
  }

  get hasToolCalls(): boolean {
    return this.#calls.length > 0;
  }

  take(): MessagesEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  text(text: string): void {
    if (text === '') return;
    if (this.#isMidCall()) {
      this.#deferredText += text;
      return;
    }
    this.#ensure('text', { type: 'text', text: '' });
    this.#delta({ type: 'text_delta', text });
  }

  thinking(thinking: string): void {
    if (thinking === '') return;
    this.#ensure('thinking', { type: 'thinking', thinking: '', signature: '' });
    this.#delta({ type: 'thinking_delta', thinking });
  }

  toolCall(piece: ToolCallPiece): void {
    const call = this.#callOf(piece);
    if (!call) return;
    call.arguments += piece.arguments;
    call.unwritten += piece.arguments;
    this.#writeCalls(false);
  }

  /** Writes what is left and closes the last block. */
  finish(): void {
    this.#writeCalls(true);
    this.#writeDeferredText();
    this.#close();
  }

  /** The call that a piece belongs to; a piece without id, name and arguments announces nothing and is passed over. */
  #callOf(piece: ToolCallPiece): ToolCall | undefined {
    const known =
      piece.index === undefined
        ? this.#calls.findLast((call) => piece.id === undefined || call.id === piece.id)
        : this.#calls.findLast((call) => call.index === piece.index);
    // Some upstreams give every call the index 0: another id is another call.
    const isAnother =
      known !== undefined && piece.id !== undefined && piece.id !== known.id && piece.name !== undefined;
    if (known && !isAnother) return known;
    if (piece.name === undefined) return undefined;
    const call: ToolCall = {
      index: piece.index,
      id: piece.id ?? `toolu_${randomUUID().replaceAll('-', '')}`,
      name: piece.name,
      arguments: '',
      unwritten: '',
    };
    this.#calls.push(call);
    return call;
  }

  #writeCalls(toTheEnd: boolean): void {
    for (;;) {
      const current = this.#calls[this.#written];
      if (current) this.#writeArguments(current);
      const next = this.#calls[this.#written + 1];
      if (!next) return;
      if (current && !toTheEnd && !isCompleteJson(current.arguments)) return;
      this.#written += 1;
      this.#writeDeferredText();
      this.#close();
      this.#openBlock('tool', { type: 'tool_use', id: next.id, name: next.name, input: {} });
      this.#writeArguments(next);
    }
  }

  #isMidCall(): boolean {
    const current = this.#calls[this.#written];
    return this.#open?.kind === 'tool' && current !== undefined && !isCompleteJson(current.arguments);
  }

  #writeDeferredText(): void {
    const text = this.#deferredText;
    this.#deferredText = '';
    if (text === '') return;
    this.#ensure('text', { type: 'text', text: '' });
    this.#delta({ type: 'text_delta', text });
  }

  #writeArguments(call: ToolCall): void {
    const json = call.unwritten;
    call.unwritten = '';
    // Calls without arguments come as "", "null" or nothing at all; clients read a block without deltas as {}.
    if (json === '' || (json === 'null' && call.arguments === 'null')) return;
    if (this.#open?.kind === 'tool') this.#delta({ type: 'input_json_delta', partial_json: json });
  }

  #ensure(kind: 'text' | 'thinking', block: Block): void {
    if (this.#open?.kind === kind) return;
    this.#close();
    this.#openBlock(kind, block);
  }

  #openBlock(kind: 'text' | 'thinking' | 'tool', block: Block): void {
    this.#open = { kind, index: this.#nextIndex };
    this.#nextIndex += 1;
    this.#events.push({ type: 'content_block_start', index: this.#open.index, content_block: block });
  }

  #delta(delta: Extract<MessagesEvent, { type: 'content_block_delta' }>['delta']): void {
    this.#events.push({ type: 'content_block_delta', index: this.#open!.index, delta });
  }

  #close(): void {
    if (!this.#open) return;
    if (this.#open.kind === 'thinking') this.#delta({ type: 'signature_delta', signature: this.#thinkingSignature });
    this.#events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}

function isCompleteJson(text: string): boolean {
  if (!/[}\]"0-9el]\s*$/.test(text)) return text === '';
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
