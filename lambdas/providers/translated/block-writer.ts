import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { Block, Delta, MessagesEvent } from '../../messages/types.ts';
import { append } from '../../platform/append.ts';
import { refusalBlock } from '../../messages/refusal-block.ts';
import { clientCallId } from '../tool-call-id.ts';
import type { ClientCalls } from './client-calls.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { JsonProgress } from './json-progress.ts';
import type { Prose } from './prose.ts';
import { writableArguments } from './quoted-arguments.ts';
import { announcedBytes, beginCall, isEmptyObject, type StreamedCall, type ToolCallPiece } from './streamed-call.ts';

/** Maximum number of citations that wait for their text. Known answers have fewer citations per text. */
const MAX_EARLY_CITATIONS = 256;
/** Maximum number of token probabilities that wait for their text. A character consists of fewer tokens. */
const MAX_EARLY_LOGPROBS = 256;

/**
 * Maximum number of blocks in an answer, and of tool calls. Known answers have far fewer, and each block costs memory.
 */
const MAX_ANSWER_BLOCKS = 10_000;
const TOO_MANY = 'sent more blocks than an answer can have';

/**
 * Size of the text, in bytes, that may wait for the arguments of a call. If there is more text and no arguments have
 * begun, the call counts as a call without arguments. Arguments that wait for the name of their call may have as many
 * characters.
 */
const MAX_DEFERRED_BYTES = 1_024;

type OpenKind = Exclude<Prose['kind'], 'signature' | 'end'> | 'tool';

/**
 * Writes content blocks one after another. At most one block is open, and indexes have no gaps. If a later tool call
 * begins before the previous one is complete, the later call waits.
 */
export class BlockWriter {
  /** Events written since the last call of `take`. */
  #events: MessagesEvent[] = [];
  #nextIndex = 0;
  #open: { kind: OpenKind; index: number } | undefined;
  readonly #calls: StreamedCall[] = [];
  /** Last call for each index that the provider assigns. `#byId` has the last call for each id. */
  readonly #byIndex = new Map<number, StreamedCall>();
  readonly #byId = new Map<string, StreamedCall>();
  /** Position in #calls of the last call whose block was opened; -1 if no call was opened. */
  #written = -1;
  /**
   * Output other than calls that arrived in the middle of a call. It is written after the call, because a block must
   * not be interrupted.
   */
  #deferred: Prose[] = [];
  #deferredBytes = 0;
  /** Citations that arrived before their text. */
  readonly #earlyCitations: unknown[] = [];
  /** Arguments that arrived before the name of their call. */
  #earlyArguments: { index: number | undefined; id: string | undefined; json: string } | undefined;
  /** Probabilities that arrived without text. */
  readonly #earlyLogprobs: TokenLogprob[] = [];
  /** Size of the calls and arguments that are not written yet, in bytes. */
  #waitingBytes = 0;
  readonly #thinkingSignature: string;
  readonly #clientCalls: ClientCalls;
  /**
   * Whether the last call was dropped, because the client allows only one call. A following piece without id, index and
   * name then belongs to the dropped call, and is dropped too.
   */
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

  /** Size of the output that waits until a tool call ends, in bytes. */
  get heldBackBytes(): number {
    return this.#deferredBytes + this.#waitingBytes;
  }

  /**
   * Adds a citation to the open text. If no text is open, the citation waits for the next text. If no text follows, the
   * citation is dropped.
   */
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
   * Adds text. Probabilities without text wait for the next text, because a token may be only a part of a character. If
   * no text follows in the block, they are added at the block's end.
   */
  text(text: string, logprobs?: readonly TokenLogprob[]): void {
    this.#prose({ kind: 'text', text, logprobs });
  }

  /** Adds the text of a refusal. Not all providers mark refusals: some send them as ordinary text. */
  refusal(text: string): void {
    this.#prose({ kind: 'refusal', text });
  }

  thinking(thinking: string): void {
    this.#prose({ kind: 'thinking', text: thinking });
  }

  /**
   * Ends the open thinking with its signature. If no thinking is open, the signature gets a thinking block without
   * text, which clients send back in later turns.
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

  toolCall({ id, name, ...sent }: ToolCallPiece): void {
    const piece = {
      ...sent,
      id: id && this.#clientCalls.idOf(id, sent.index),
      name: name && this.#clientCalls.nameOf(name),
    };
    const call = this.#callOf(piece);
    if (!call) return;
    if (call.closed) {
      // Some providers repeat the arguments of a complete call at the end, which is harmless. Further arguments of a
      // call that was closed while incomplete cannot be written, and must not be dropped silently, so they are an
      // error.
      if (call.progress.isComplete && (call.begun || isEmptyObject(piece.arguments))) return;
      if (piece.arguments === '') return;
      throw malformedBlocks('continued a tool call that had ended');
    }
    const json = this.#takeEarlyArguments(piece) + piece.arguments;
    if (call.progress.isClosed) {
      if (call.begun || !isEmptyObject(call.unwritten) || json.trim() === '') return;
      this.#discardUnwritten(call);
    }
    call.progress.feed(json);
    call.unwritten += json;
    this.#waitingBytes += Buffer.byteLength(json);
    this.#writeCalls(false);
  }

  /**
   * Discards the empty object that some servers send before the arguments
   * (https://github.com/BerriAI/litellm/issues/4537). Other complete arguments stay, and what follows them is ignored:
   * some servers send the arguments twice (https://github.com/vllm-project/vllm/issues/51697).
   */
  #discardUnwritten(call: StreamedCall): void {
    this.#waitingBytes -= Buffer.byteLength(call.unwritten);
    call.unwritten = '';
    call.progress = new JsonProgress();
  }

  /** Writes all pending output, and closes the last block. */
  finish(): void {
    this.#placeEarlyArguments();
    this.#writeCalls(true);
    this.#writeDeferred();
    this.#close();
  }

  /**
   * Returns the call to which a piece belongs, and creates it for the call's first piece. Returns undefined if the
   * piece belongs to a dropped call, or to an unknown call without a name, whose arguments are stored.
   */
  #callOf(piece: ToolCallPiece): StreamedCall | undefined {
    const known = this.#knownCall(piece);
    const isAnother = known !== undefined && piece.name !== undefined && this.#announcesAnother(piece, known);
    const isNameless = piece.index === undefined && piece.id === undefined && piece.name === undefined;
    if (this.#isLeftOut && isNameless) return undefined;
    if (known && !isAnother) return known;
    if (piece.name === undefined) {
      if (!this.#isLeftOut) this.#keepEarlyArguments(piece);
      return undefined;
    }
    // If the client allows only one call, the gateway drops all further calls. Some providers have no such setting, and
    // some models ignore it.
    this.#isLeftOut = this.#clientCalls.isSingle && this.#calls.length > 0;
    if (this.#isLeftOut) return undefined;
    const call = beginCall(piece, piece.name);
    if (this.#calls.length >= MAX_ANSWER_BLOCKS) throw malformedBlocks(TOO_MANY);
    this.#calls.push(call);
    this.#waitingBytes += announcedBytes(call);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    this.#byId.set(call.id, call);
    return call;
  }

  /**
   * Stores arguments that arrive before the name of their call.
   * @throws {UpstreamError} if they are too long, or if arguments of another call are stored
   */
  #keepEarlyArguments({ index, id, arguments: json }: ToolCallPiece): void {
    if (json === '') return;
    const early = this.#earlyArguments;
    const isSame = !early || (early.index === index && (id === undefined || early.id === undefined || early.id === id));
    const whole = (early?.json ?? '') + json;
    if (!isSame || whole.length > MAX_DEFERRED_BYTES)
      throw malformedBlocks('sent the arguments of a call without its name');
    this.#earlyArguments = { index, id: id ?? early?.id, json: whole };
  }

  /** Gives arguments without a call to the last call if it has none. */
  #placeEarlyArguments(): void {
    const early = this.#earlyArguments;
    if (!early || isEmptyObject(early.json)) return;
    const last = this.#calls.at(-1);
    if (!last || last.closed || last.progress.hasBegun)
      throw malformedBlocks('sent the arguments of a call without its name');
    last.progress.feed(early.json);
    last.unwritten = early.json;
    this.#waitingBytes += Buffer.byteLength(early.json);
  }

  #takeEarlyArguments({ index }: ToolCallPiece): string {
    const early = this.#earlyArguments;
    if (!early || early.index !== index) return '';
    this.#earlyArguments = undefined;
    return early.json;
  }

  #knownCall({ index, id, name }: ToolCallPiece): StreamedCall | undefined {
    const named = id === undefined ? undefined : this.#byId.get(id);
    const last = this.#calls.at(-1);
    if (index === undefined) return id === undefined ? last : named;
    // Several calls may have the same index. The id then tells them apart.
    const known = named?.index === index ? named : this.#byIndex.get(index);
    if (id !== undefined || name !== undefined || this.#isLeftOut || !last || last.progress.hasBegun) return known;
    if (known && !known.progress.isComplete) return known;
    // Some servers announce a call at one index, and send its arguments at another: the next, or the number of the call
    // (sgl-project/sglang issues 23071 and 6310).
    this.#byIndex.set(index, last);
    return last;
  }

  /**
   * Returns whether a piece with a name begins a new call, although its index or id matches a known call. Some
   * providers give every call the index 0, or no index. So a new id means a new call, and without an id, a name after
   * complete arguments.
   */
  #announcesAnother(piece: ToolCallPiece, known: StreamedCall): boolean {
    if (piece.id !== undefined) return piece.id !== known.id;
    return known.progress.isComplete;
  }

  #writeCalls(toTheEnd: boolean): void {
    for (;;) {
      const current = this.#calls[this.#written];
      if (current) this.#writeArguments(current, toTheEnd);
      const next = this.#calls[this.#written + 1];
      if (!next) return;
      if (current && !current.closed && !toTheEnd && !current.progress.isComplete) return;
      this.#writeDeferred();
      this.#close();
      this.#written += 1;
      this.#waitingBytes -= announcedBytes(next);
      this.#openBlock('tool', { type: 'tool_use', id: clientCallId(next.id), name: next.name, input: {} });
      this.#writeArguments(next, toTheEnd);
    }
  }

  #isMidCall(): boolean {
    const current = this.#calls[this.#written];
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
    const call = this.#calls[this.#written]!;
    if (!call.progress.hasBegun && this.#deferredBytes > MAX_DEFERRED_BYTES) this.#writeDeferred();
  }

  #writeProse({ kind, text, logprobs, block, deltas = [] }: Prose): void {
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
      this.#ensure('text', { type: 'text', text: '' });
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
    call.unwritten = '';
    this.#waitingBytes -= Buffer.byteLength(unwritten);
    // Clients read a block without deltas as {}. Arguments may follow an empty object.
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
    if (this.#nextIndex >= MAX_ANSWER_BLOCKS) throw malformedBlocks(TOO_MANY);
    this.#open = { kind, index: this.#nextIndex };
    this.#nextIndex += 1;
    this.#events.push({ type: 'content_block_start', index: this.#open.index, content_block: block });
  }

  #delta(delta: Delta): void {
    this.#events.push({ type: 'content_block_delta', index: this.#open!.index, delta });
  }

  #close(signature = this.#thinkingSignature): void {
    if (!this.#open) return;
    if (this.#open.kind === 'tool') this.#calls[this.#written]!.closed = true;
    if (this.#open.kind === 'text' && this.#earlyLogprobs.length > 0) {
      this.#delta({ type: 'text_delta', text: '', logprobs: this.#earlyLogprobs.splice(0) });
    }
    if (this.#open.kind === 'thinking') this.#delta({ type: 'signature_delta', signature });
    this.#events.push({ type: 'content_block_stop', index: this.#open.index });
    this.#open = undefined;
  }
}

function malformedBlocks(fault: string): UpstreamError {
  return new UpstreamError('malformed', `The provider ${fault}`);
}
