import { UpstreamError } from '../http/upstream-error.ts';
import { JsonProgress } from './json-progress.ts';
import type { ClientCalls } from './client-calls.ts';
import { announcedBytes, beginCall, isEmptyObject, type StreamedCall, type ToolCallPiece } from './streamed-call.ts';

/** Maximum number of tool calls in an answer. */
const MAX_ANSWER_CALLS = 10_000;
/** Maximum number of characters of arguments that wait for the name of their call. */
const MAX_EARLY_CHARACTERS = 1_024;

/** The calls of an answer in the order of their beginnings, with the arguments that are not written yet. */
export class ReceivedCalls {
  readonly #calls: StreamedCall[] = [];
  /** Last call for each index that the provider assigns. `#byId` has the last call for each id. */
  readonly #byIndex = new Map<number, StreamedCall>();
  readonly #byId = new Map<string, StreamedCall>();
  /** Arguments that arrived before the name of their call. */
  #early: { index: number | undefined; id: string | undefined; json: string } | undefined;
  #waitingBytes = 0;
  readonly #clientCalls: ClientCalls;
  /** Whether the last call was dropped. A following piece without id, index and name belongs to it, and is dropped. */
  #isLeftOut = false;

  constructor(clientCalls: ClientCalls) {
    this.#clientCalls = clientCalls;
  }

  get count(): number {
    return this.#calls.length;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Whether the arguments of a call have begun, but are not complete. */
  get isWithinArguments(): boolean {
    return this.#calls.some(({ progress }) => progress.hasBegun && !progress.isComplete);
  }

  at(position: number): StreamedCall | undefined {
    return this.#calls[position];
  }

  /**
   * Adds a piece of a call.
   * @throws {UpstreamError} if the piece cannot belong to the answer
   */
  add({ id, name, ...sent }: ToolCallPiece): void {
    const piece = {
      ...sent,
      id: id && this.#clientCalls.idOf(id, sent.index),
      name: name && this.#clientCalls.nameOf(name),
    };
    const count = this.#calls.length;
    const call = this.#callOf(piece);
    if (!call) return;
    if (name && count === this.#calls.length) this.#addToName(call, name);
    if (call.closed) {
      // Some providers repeat the arguments of a complete call. Other arguments cannot be written, and are an error.
      if (call.progress.isComplete && (call.begun || isEmptyObject(piece.arguments))) return;
      if (piece.arguments === '') return;
      throw malformedCall('continued a tool call that had ended');
    }
    const json = this.#takeEarlyArguments(piece) + piece.arguments;
    if (call.progress.isClosed) {
      if (call.begun || !isEmptyObject(call.unwritten) || json.trim() === '') return;
      this.#discardUnwritten(call);
    }
    this.#feed(call, json);
  }

  /**
   * Handles the end of the answer. Arguments that waited for the name of a call become the arguments of the last call,
   * if it has none.
   * @throws {UpstreamError} if there is no call, or the last call has arguments or is closed
   */
  end(): void {
    const early = this.#early;
    if (!early || isEmptyObject(early.json)) return;
    const last = this.#calls.at(-1);
    if (!last || last.closed || last.progress.hasBegun) throw malformedCall(NAMELESS);
    this.#feed(last, early.json);
  }

  /** Whether more of the last call's name may follow. */
  isNameOpen(call: StreamedCall): boolean {
    const { name, progress } = call;
    const isLast = call === this.#calls.at(-1) && !progress.hasBegun;
    return isLast && this.#clientCalls.namesFrom(name).some((whole) => whole !== name);
  }

  /** Records that the call's name was written. */
  announced(call: StreamedCall): void {
    this.#waitingBytes -= announcedBytes(call);
  }

  /** Removes the arguments that wait, because they were written or do not count. */
  takeUnwritten(call: StreamedCall): void {
    this.#waitingBytes -= Buffer.byteLength(call.unwritten);
    call.unwritten = '';
  }

  /**
   * Adds a piece to a name. Most servers repeat the name, or send none, but some divide it
   * (https://github.com/continuedev/continue/pull/5849).
   */
  #addToName(call: StreamedCall, piece: string): void {
    const name = this.#clientCalls.nameOf(call.name + piece);
    if (!this.isNameOpen(call) || this.#clientCalls.namesFrom(name).length === 0) return;
    this.#waitingBytes += Buffer.byteLength(name) - Buffer.byteLength(call.name);
    call.name = name;
  }

  #feed(call: StreamedCall, json: string): void {
    call.progress.feed(json);
    call.unwritten += json;
    this.#waitingBytes += Buffer.byteLength(json);
  }

  /**
   * Discards the empty object that some servers send before the arguments
   * (https://github.com/BerriAI/litellm/issues/4537). Other complete arguments stay, and any text after them is
   * ignored: some servers send the arguments twice (https://github.com/vllm-project/vllm/issues/51697).
   */
  #discardUnwritten(call: StreamedCall): void {
    this.takeUnwritten(call);
    call.progress = new JsonProgress();
  }

  /**
   * Returns the call of a piece, created by its first piece; undefined for a dropped call, or an unknown call without a
   * name, whose arguments are stored.
   */
  #callOf(piece: ToolCallPiece): StreamedCall | undefined {
    const known = this.#knownCall(piece);
    const isAnother = known !== undefined && piece.name !== undefined && announcesAnother(piece, known);
    const isNameless = piece.index === undefined && piece.id === undefined && piece.name === undefined;
    if (this.#isLeftOut && isNameless) return undefined;
    if (known && !isAnother) return known;
    if (piece.name === undefined) {
      if (!this.#isLeftOut) this.#keepEarlyArguments(piece);
      return undefined;
    }
    // If the client allows only one call, further calls are dropped: some models ignore the setting.
    this.#isLeftOut = this.#clientCalls.isSingle && this.#calls.length > 0;
    return this.#isLeftOut ? undefined : this.#begun(piece, piece.name);
  }

  #begun(piece: ToolCallPiece, name: string): StreamedCall {
    if (this.#calls.length >= MAX_ANSWER_CALLS) throw malformedCall('sent more tool calls than an answer can have');
    const call = beginCall(piece, name, piece.id !== undefined && this.#byId.has(piece.id));
    this.#calls.push(call);
    this.#waitingBytes += announcedBytes(call);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    if (piece.id !== undefined) this.#byId.set(piece.id, call);
    return call;
  }

  #knownCall({ index, id, name }: ToolCallPiece): StreamedCall | undefined {
    const named = id === undefined ? undefined : this.#byId.get(id);
    const last = this.#calls.at(-1);
    if (index === undefined) return id === undefined ? last : named;
    // Several calls may have the same index. Their ids then distinguish them.
    const known = named?.index === index ? named : this.#byIndex.get(index);
    if (id !== undefined || name !== undefined || this.#isLeftOut || !last || last.progress.hasBegun) return known;
    if (known && !known.progress.isComplete) return known;
    // Some servers announce a call at one index, and send its arguments at another: the next, or the number of the call
    // (sgl-project/sglang issues 23071 and 6310).
    this.#byIndex.set(index, last);
    return last;
  }

  /**
   * Stores arguments that arrived before the name of their call.
   * @throws {UpstreamError} if they are too long, or if arguments of another call are stored
   */
  #keepEarlyArguments({ index, id, arguments: json }: ToolCallPiece): void {
    if (json === '') return;
    const early = this.#early;
    const isSame = !early || (early.index === index && (id === undefined || early.id === undefined || early.id === id));
    const whole = (early?.json ?? '') + json;
    if (!isSame || whole.length > MAX_EARLY_CHARACTERS) throw malformedCall(NAMELESS);
    this.#early = { index, id: id ?? early?.id, json: whole };
  }

  #takeEarlyArguments({ index }: ToolCallPiece): string {
    const early = this.#early;
    if (!early || early.index !== index) return '';
    this.#early = undefined;
    return early.json;
  }
}

/**
 * Returns whether a piece with a name begins another call than the known call. Some providers give every call the index
 * 0, or no index. A new id means a new call. Without an id, a name after complete arguments means a new call; with the
 * same id, only another name (https://github.com/skye-harris/hass_local_openai_llm/pull/92).
 */
function announcesAnother({ id, name }: ToolCallPiece, { sentId, name: known, progress }: StreamedCall): boolean {
  if (id !== undefined && id !== sentId) return true;
  return progress.isComplete && (id === undefined || name !== known);
}

const NAMELESS = 'sent the arguments of a call without its name';

function malformedCall(fault: string): UpstreamError {
  return new UpstreamError('malformed', `The provider ${fault}`);
}
