import { randomUUID } from 'node:crypto';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { Block, MessagesEvent } from '../../messages/types.ts';
import { refusalBlock } from '../../messages/refusal-block.ts';
import { CALL_OVERHEAD_BYTES } from '../../messages/usage-counts.ts';
import { clientCallId } from '../tool-call-id.ts';
import type { ClientCalls } from './client-calls.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { JsonProgress } from './json-progress.ts';

/** More than a model cites in one text. */
const MAX_EARLY_CITATIONS = 256;

/** More blocks than any answer has, and more calls. Even an empty one costs memory. */
const MAX_ANSWER_BLOCKS = 10_000;

/** This much prose after a call without arguments means that it has none. */
const MAX_DEFERRED_BYTES = 1_024;

/** A piece of a tool call as it arrives; only the first is sure to have an id and a name. */
export interface ToolCallPiece {
  index: number | undefined;
  id: string | undefined;
  name: string | undefined;
  arguments: string;
}

/**
 * What is said beside calls; a signature ends the thinking before it, redacted thinking is a block of its own, and an end
 * ends whatever is open.
 */
interface Prose {
  kind: 'text' | 'refusal' | 'thinking' | 'signature' | 'redacted' | 'end';
  text: string;
  /** Probabilities of the tokens of a text, if the client asked for them. */
  logprobs?: readonly TokenLogprob[] | undefined;
}

type OpenKind = 'text' | 'refusal' | 'thinking' | 'redacted' | 'tool';

interface ToolCall {
  index: number | undefined;
  id: string;
  name: string;
  /** How much of its arguments has come. */
  progress: JsonProgress;
  /** Arguments that are not written yet. */
  unwritten: string;
  /** Some of its arguments were written. */
  begun: boolean;
  /** Its block is closed: nothing can be added. */
  closed: boolean;
}

/**
 * Writes content blocks one after another: at most one is open, indices are contiguous, and pieces of a later tool call
 * wait until the call before it is complete.
 */
export class BlockWriter {
  /** Events written since the last take(). */
  #events: MessagesEvent[] = [];
  #nextIndex = 0;
  #open: { kind: OpenKind; index: number } | undefined;
  readonly #calls: ToolCall[] = [];
  /** The last call of each index, and of each id. */
  readonly #byIndex = new Map<number, ToolCall>();
  readonly #byId = new Map<string, ToolCall>();
  /** Position in #calls of the call whose block is open or was written last. */
  #written = -1;
  /** What came between two pieces of one call: the call's block must stay whole, so this follows it. */
  #deferred: Prose[] = [];
  #deferredBytes = 0;
  /** Sources that came before the text that they belong to. */
  readonly #earlyCitations: unknown[] = [];
  /** Of calls that wait for their turn, and of their arguments. */
  #waitingBytes = 0;
  readonly #thinkingSignature: string;
  readonly #clientCalls: ClientCalls;
  /** Pieces without an id, an index and a name belong to a call that is not passed on. */
  #isLeftOut = false;

  constructor(thinkingSignature: string, clientCalls: ClientCalls) {
    this.#thinkingSignature = thinkingSignature;
    this.#clientCalls = clientCalls;
  }

  get hasToolCalls(): boolean {
    return this.#calls.length > 0;
  }

  get hasOutput(): boolean {
    return this.#nextIndex > 0 || this.#calls.length > 0;
  }

  /** Bytes that the model has written and that wait for their turn. */
  get heldBackBytes(): number {
    return this.#deferredBytes + this.#waitingBytes;
  }

  /** A source of the open text; without one it waits for the text that begins next, and is left out where none does. */
  citation(citation: unknown): void {
    if (this.#open?.kind === 'text') this.#delta({ type: 'citations_delta', citation });
    else if (this.#earlyCitations.length < MAX_EARLY_CITATIONS) this.#earlyCitations.push(citation);
  }

  take(): MessagesEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  text(text: string, logprobs?: readonly TokenLogprob[]): void {
    this.#prose({ kind: 'text', text, logprobs });
  }

  /** Words with which the model refuses, where its provider tells them apart. */
  refusal(text: string): void {
    this.#prose({ kind: 'refusal', text });
  }

  thinking(thinking: string): void {
    this.#prose({ kind: 'thinking', text: thinking });
  }

  /**
   * Ends the open thinking with the signature of its provider. Where none is open, an empty thinking carries it: clients
   * send it back with the conversation, as they do with thinking that is not shown.
   */
  sign(signature: string): void {
    this.#prose({ kind: 'signature', text: signature });
  }

  /** Ends the open text or thinking: what follows is a block of its own. */
  endProse(): void {
    this.#prose({ kind: 'end', text: '' });
  }

  /** Thinking that only its provider can read. */
  redacted(data: string): void {
    this.#prose({ kind: 'redacted', text: data });
  }

  toolCall({ id, name, ...sent }: ToolCallPiece): void {
    const piece = {
      ...sent,
      id: id && this.#clientCalls.idOf(id, sent.index),
      name: name && this.#clientCalls.nameOf(name),
    };
    const call = this.#callOf(piece);
    if (!call) return;
    if (call.closed) {
      // Some providers repeat the arguments at the end. New arguments of a call that was given up must not be lost.
      if (call.progress.isComplete || piece.arguments === '') return;
      throw new UpstreamError('malformed', 'The provider went on with a call that it had left');
    }
    call.progress.feed(piece.arguments);
    call.unwritten += piece.arguments;
    this.#waitingBytes += Buffer.byteLength(piece.arguments);
    this.#writeCalls(false);
  }

  /** Writes what is left and closes the last block. */
  finish(): void {
    this.#writeCalls(true);
    this.#writeDeferred();
    this.#close();
  }

  /** The call that a piece belongs to; a piece without id, name and arguments announces nothing and is skipped. */
  #callOf(piece: ToolCallPiece): ToolCall | undefined {
    const known = this.#knownCall(piece);
    const isAnother = known !== undefined && piece.name !== undefined && this.#announcesAnother(piece, known);
    const isNameless = piece.index === undefined && piece.id === undefined && piece.name === undefined;
    if (this.#isLeftOut && isNameless) return undefined;
    if (known && !isAnother) return known;
    if (piece.name === undefined) return undefined;
    // Not every provider has a switch for that, and not every model keeps to it.
    this.#isLeftOut = this.#clientCalls.isSingle && this.#calls.length > 0;
    if (this.#isLeftOut) return undefined;
    const call: ToolCall = {
      index: piece.index,
      id: piece.id ?? `toolu_${randomUUID().replaceAll('-', '')}`,
      name: piece.name,
      progress: new JsonProgress(),
      unwritten: '',
      begun: false,
      closed: false,
    };
    if (this.#calls.length >= MAX_ANSWER_BLOCKS) throw tooManyBlocks();
    this.#calls.push(call);
    this.#waitingBytes += announcedBytes(call);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    this.#byId.set(call.id, call);
    return call;
  }

  #knownCall({ index, id }: ToolCallPiece): ToolCall | undefined {
    if (index !== undefined) return this.#byIndex.get(index);
    return id === undefined ? this.#calls.at(-1) : this.#byId.get(id);
  }

  /**
   * Some upstreams give every call the index 0, or none: another id is another call, and so is a name after complete
   * arguments.
   */
  #announcesAnother(piece: ToolCallPiece, known: ToolCall): boolean {
    if (piece.id !== undefined) return piece.id !== known.id;
    return known.progress.isComplete;
  }

  #writeCalls(toTheEnd: boolean): void {
    for (;;) {
      const current = this.#calls[this.#written];
      if (current) this.#writeArguments(current);
      const next = this.#calls[this.#written + 1];
      if (!next) return;
      if (current && !current.closed && !toTheEnd && !current.progress.isComplete) return;
      this.#writeDeferred();
      this.#close();
      this.#written += 1;
      this.#waitingBytes -= announcedBytes(next);
      this.#openBlock('tool', { type: 'tool_use', id: clientCallId(next.id), name: next.name, input: {} });
      this.#writeArguments(next);
    }
  }

  #isMidCall(): boolean {
    const current = this.#calls[this.#written];
    return this.#open?.kind === 'tool' && current !== undefined && !current.progress.isComplete;
  }

  #prose(prose: Prose): void {
    if (prose.text === '' && prose.kind !== 'end') return;
    if (!this.#isMidCall()) {
      this.#writeProse(prose);
      return;
    }
    this.#deferred.push(prose);
    // Signatures and the like are not the model's words.
    if (prose.kind === 'text' || prose.kind === 'refusal' || prose.kind === 'thinking')
      this.#deferredBytes += Buffer.byteLength(prose.text);
    const call = this.#calls[this.#written]!;
    if (!call.progress.hasBegun && this.#deferredBytes > MAX_DEFERRED_BYTES) this.#writeDeferred();
  }

  #writeProse({ kind, text, logprobs }: Prose): void {
    if (kind === 'end') {
      if (this.#open?.kind !== 'tool') this.#close();
      return;
    }
    if (kind === 'text') {
      this.#ensure('text', { type: 'text', text: '' });
      this.#delta({ type: 'text_delta', text, ...(logprobs ? { logprobs } : {}) });
      for (const citation of this.#earlyCitations.splice(0)) this.citation(citation);
      return;
    }
    if (kind === 'refusal') {
      this.#ensure('refusal', refusalBlock());
      this.#delta({ type: 'text_delta', text });
      return;
    }
    if (kind === 'redacted') {
      this.#ensure('redacted', { type: 'redacted_thinking', data: text });
      this.#close();
      return;
    }
    this.#ensure('thinking', { type: 'thinking', thinking: '', signature: '' });
    if (kind === 'thinking') this.#delta({ type: 'thinking_delta', thinking: text });
    else this.#close(text);
  }

  #writeDeferred(): void {
    const deferred = this.#deferred;
    this.#deferred = [];
    this.#deferredBytes = 0;
    for (const prose of deferred) this.#writeProse(prose);
  }

  #writeArguments(call: ToolCall): void {
    if (this.#open?.kind !== 'tool') return;
    const json = call.unwritten;
    call.unwritten = '';
    this.#waitingBytes -= Buffer.byteLength(json);
    // Calls without arguments come as "", "null" or nothing at all; clients read a block without deltas as {}.
    if (json === '' || (json === 'null' && !call.begun)) return;
    call.begun = true;
    this.#delta({ type: 'input_json_delta', partial_json: json });
  }

  #ensure(kind: Exclude<OpenKind, 'tool'>, block: Block): void {
    if (this.#open?.kind === kind) return;
    this.#close();
    this.#openBlock(kind, block);
  }

  #openBlock(kind: OpenKind, block: Block): void {
    if (this.#nextIndex >= MAX_ANSWER_BLOCKS) throw tooManyBlocks();
    this.#open = { kind, index: this.#nextIndex };
    this.#nextIndex += 1;
    this.#events.push({ type: 'content_block_start', index: this.#open.index, content_block: block });
  }

  #delta(delta: Extract<MessagesEvent, { type: 'content_block_delta' }>['delta']): void {
    this.#events.push({ type: 'content_block_delta', index: this.#open!.index, delta });
  }

  #close(signature = this.#thinkingSignature): void {
    if (!this.#open) return;
    if (this.#open.kind === 'tool') this.#calls[this.#written]!.closed = true;
    if (this.#open.kind === 'thinking') this.#delta({ type: 'signature_delta', signature });
    this.#events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}

function tooManyBlocks(): UpstreamError {
  return new UpstreamError('malformed', 'The provider sent more blocks than an answer can have');
}

/** What a call has before its arguments. An id is no word of the model's, unless it is longer than any. */
function announcedBytes({ id, name }: ToolCall): number {
  return Math.max(CALL_OVERHEAD_BYTES, Buffer.byteLength(id)) + Buffer.byteLength(name);
}
