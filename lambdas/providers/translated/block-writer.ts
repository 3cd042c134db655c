import type { TokenLogprob } from '../../messages/token-logprob.ts';
import { PHASE, type Block, type Delta, type MessagesEvent } from '../../messages/types.ts';
import { append } from '../../platform/append.ts';
import { refusalBlock } from '../../messages/refusal-block.ts';
import { clientCallId } from '../tool-call-id.ts';
import type { ClientCalls } from './client-calls.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import type { Prose } from './prose.ts';
import { writableArguments } from './quoted-arguments.ts';
import { ReceivedCalls } from './received-calls.ts';
import { isEmptyObject, type StreamedCall, type ToolCallPiece } from './streamed-call.ts';

/** Maximum number of citations that wait for their text. */
const MAX_EARLY_CITATIONS = 256;
/** Maximum number of token probabilities that wait for their text. A character consists of fewer tokens. */
const MAX_EARLY_LOGPROBS = 256;

const MAX_ANSWER_BLOCKS = 10_000;

/**
 * Maximum bytes of text that wait for a call whose arguments have not begun. If there are more, the call counts as a
 * call without arguments.
 */
const MAX_DEFERRED_BYTES = 1_024;

type OpenKind = Exclude<Prose['kind'], 'signature' | 'end'> | 'tool';

/** Writes content blocks one after another: at most one is open, and indexes have no gaps. */
export class BlockWriter {
  #events: MessagesEvent[] = [];
  #nextIndex = 0;
  #open: { kind: OpenKind; index: number } | undefined;
  readonly #calls: ReceivedCalls;
  /** Position in #calls of the last call whose block was opened; -1 if no call was opened. */
  #written = -1;
  /** Output that arrived in the middle of a call. It is written after the call, which must not be interrupted. */
  #deferred: Prose[] = [];
  #deferredBytes = 0;
  readonly #earlyCitations: unknown[] = [];
  readonly #earlyLogprobs: TokenLogprob[] = [];
  readonly #thinkingSignature: string;

  constructor(thinkingSignature: string, clientCalls: ClientCalls) {
    this.#thinkingSignature = thinkingSignature;
    this.#calls = new ReceivedCalls(clientCalls);
  }

  get hasToolCalls(): boolean {
    return this.#calls.count > 0;
  }

  get isWithinArguments(): boolean {
    return this.#calls.isWithinArguments;
  }

  get hasOutput(): boolean {
    return this.#nextIndex > 0 || this.#calls.count > 0;
  }

  /** Size of the output that waits until a tool call ends, in bytes. */
  get heldBackBytes(): number {
    return this.#deferredBytes + this.#calls.waitingBytes;
  }

  /** Adds a citation to the open text, or otherwise to the next text. If no text follows, the citation is dropped. */
  citation(citation: unknown): void {
    if (this.#open?.kind === 'text') this.#delta({ type: 'citations_delta', citation });
    else if (this.#earlyCitations.length < MAX_EARLY_CITATIONS) this.#earlyCitations.push(citation);
  }

  take(): MessagesEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /**
   * Adds text. Token probabilities without text wait for the next text, or the block's end: a token may be a part of a
   * character.
   * @param phase phase of the text's message
   */
  text(text: string, logprobs?: readonly TokenLogprob[], phase?: string): void {
    this.#prose({ kind: 'text', text, logprobs, phase });
  }

  /** Adds the text of a refusal. */
  refusal(text: string): void {
    this.#prose({ kind: 'refusal', text });
  }

  thinking(thinking: string): void {
    this.#prose({ kind: 'thinking', text: thinking });
  }

  /**
   * Ends the open thinking with a signature. If no thinking is open, the signature gets its own block, which clients
   * send back.
   */
  sign(signature: string): void {
    this.#prose({ kind: 'signature', text: signature });
  }

  /** Ends the open block unless it is a tool call, so that the next text starts a new block. */
  endProse(): void {
    this.#prose({ kind: 'end', text: '' });
  }

  /** Adds a block of encrypted thinking, which only its provider can read. */
  redacted(data: string): void {
    this.#prose({ kind: 'redacted', text: data });
  }

  /**
   * Adds a generated image, or pieces of audio.
   * @param block the image, or the beginning of the audio
   */
  media(block: Block & { type: 'image' | 'audio' }, deltas: readonly Delta[] = []): void {
    this.#prose({ kind: block.type, text: '', block, deltas });
  }

  /**
   * Adds a piece of a tool call.
   * @throws {UpstreamError} if the piece cannot belong to the answer
   */
  toolCall(piece: ToolCallPiece): void {
    this.#calls.add(piece);
    this.#writeCalls(false);
  }

  /** Writes all pending output, and closes the last block. */
  finish(): void {
    this.#calls.end();
    this.#writeCalls(true);
    this.#writeDeferred();
    this.#close();
  }

  #writeCalls(toTheEnd: boolean): void {
    for (;;) {
      const current = this.#calls.at(this.#written);
      if (current) this.#writeArguments(current, toTheEnd);
      const next = this.#calls.at(this.#written + 1);
      if (!next || (!toTheEnd && this.#calls.isNameOpen(next))) return;
      if (current && !current.closed && !toTheEnd && !current.progress.isComplete) return;
      this.#writeDeferred();
      this.#close();
      this.#written += 1;
      this.#calls.announced(next);
      this.#openBlock('tool', { type: 'tool_use', id: clientCallId(next.id), name: next.name, input: {} });
      this.#writeArguments(next, toTheEnd);
    }
  }

  #isMidCall(): boolean {
    const current = this.#calls.at(this.#written);
    return this.#open?.kind === 'tool' && current !== undefined && !current.progress.isComplete;
  }

  #prose(prose: Prose): void {
    if (prose.text === '' && prose.kind !== 'end' && !prose.logprobs && !prose.block) return;
    if (!this.#isMidCall()) {
      this.#writeProse(prose);
      return;
    }
    this.#deferred.push(prose);
    // Only these kinds contain the model's text, so only they count as held-back output.
    if (prose.kind === 'text' || prose.kind === 'refusal' || prose.kind === 'thinking')
      this.#deferredBytes += Buffer.byteLength(prose.text);
    const call = this.#calls.at(this.#written)!;
    if (!call.progress.hasBegun && this.#deferredBytes > MAX_DEFERRED_BYTES) this.#writeDeferred();
  }

  #writeProse({ kind, text, logprobs, phase, block, deltas = [] }: Prose): void {
    if (kind === 'image' || kind === 'audio') {
      this.#ensure(kind, block!);
      for (const delta of deltas) this.#delta(delta);
      if (kind === 'image') this.#close();
      return;
    }
    if (kind === 'end') {
      if (this.#open?.kind !== 'tool') this.#close();
      return;
    }
    if (kind === 'text') {
      if (text === '') {
        append(this.#earlyLogprobs, (logprobs ?? []).slice(0, MAX_EARLY_LOGPROBS - this.#earlyLogprobs.length));
        return;
      }
      this.#ensure('text', { type: 'text', text: '', ...(phase ? { [PHASE]: phase } : {}) });
      const likely = [...this.#earlyLogprobs.splice(0), ...(logprobs ?? [])];
      this.#delta({ type: 'text_delta', text, ...(likely.length > 0 ? { logprobs: likely } : {}) });
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

  #writeArguments(call: StreamedCall, toTheEnd: boolean): void {
    if (this.#open?.kind !== 'tool') return;
    const { unwritten, progress, begun } = call;
    const json = begun ? unwritten : writableArguments(unwritten, toTheEnd || progress.isComplete);
    if (json === undefined) return;
    this.#calls.takeUnwritten(call);
    // Clients read a call without deltas as {}. A provider may write {} before the arguments: sent, it would make {}{…}.
    if (json === '' || (!call.begun && isEmptyObject(json))) return;
    call.begun = true;
    this.#delta({ type: 'input_json_delta', partial_json: json });
  }

  #ensure(kind: Exclude<OpenKind, 'tool'>, block: Block): void {
    if (this.#open?.kind === kind) return;
    this.#close();
    this.#openBlock(kind, block);
  }

  #openBlock(kind: OpenKind, block: Block): void {
    if (this.#nextIndex >= MAX_ANSWER_BLOCKS) {
      throw new UpstreamError('malformed', 'The provider sent more blocks than an answer can have');
    }
    this.#open = { kind, index: this.#nextIndex };
    this.#nextIndex += 1;
    this.#events.push({ type: 'content_block_start', index: this.#open.index, content_block: block });
  }

  #delta(delta: Delta): void {
    this.#events.push({ type: 'content_block_delta', index: this.#open!.index, delta });
  }

  #close(signature = this.#thinkingSignature): void {
    if (!this.#open) return;
    if (this.#open.kind === 'tool') this.#calls.at(this.#written)!.closed = true;
    if (this.#open.kind === 'text' && this.#earlyLogprobs.length > 0) {
      this.#delta({ type: 'text_delta', text: '', logprobs: this.#earlyLogprobs.splice(0) });
    }
    if (this.#open.kind === 'thinking') this.#delta({ type: 'signature_delta', signature });
    this.#events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}
