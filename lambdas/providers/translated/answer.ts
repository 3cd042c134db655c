import { messageStart } from '../../messages/message-start.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { AnswerBatch, MessagesEvent, StopReason, WireUsage } from '../../messages/types.ts';
import type { DecodeContext } from '../wire.ts';
import { BlockWriter } from './block-writer.ts';
import { ClientCalls } from './client-calls.ts';
import { tokenLogprobs } from './logprobs.ts';
import type { ToolNameRule } from './tool-names.ts';

/** A native reason is a single word. Other texts are not recorded. */
const NATIVE_REASON = /^[\w.:-]{1,64}$/;

/** Result of reading a piece of a stream: a batch, if there is anything new, and a failure after it. */
export interface Reading {
  batch: AnswerBatch | undefined;
  failure: unknown;
  /** Whether the model wrote anything, even if it is still held back. */
  hasOutput: boolean;
}

/**
 * An answer under translation from another wire to the Messages API. It is started, written block by block, and ended,
 * each once.
 */
export class TranslatedAnswer {
  /** Its blocks, in the order in which they are written. */
  readonly blocks: BlockWriter;
  /** Whether message_stop or an error was written: nothing may follow. */
  ended = false;
  /** Size of output that the reader itself holds back before it becomes blocks, in bytes. */
  waitingBytes = 0;
  /** Size of output that was held back after the last reading, in bytes. */
  #heldBackBytes = 0;
  /** Whether the provider has reported more output since the last reading, shown or hidden. */
  #hasThought = false;
  readonly #estimatedInputTokens: number;
  #events: MessagesEvent[] = [];
  #started = false;
  #hasSaidWhy = false;
  /** The provider's own stop reason, until a batch has carried it. */
  #nativeReason: string | undefined;
  /** Whether a part of the answer has been passed on. */
  #begun = false;
  #finished = false;
  #usage: WireUsage | undefined;
  /** Usage that no batch has carried yet. */
  #unreported: WireUsage | undefined;

  readonly #wantsLogprobs: boolean;

  /**
   * @param thinkingSignature signature for thinking that the provider does not sign itself
   * @param toolNames rule for the sent names of tools
   */
  constructor(
    { estimatedInputTokens, request }: Pick<DecodeContext, 'estimatedInputTokens' | 'request'>,
    thinkingSignature: string,
    toolNames: ToolNameRule = 'any',
  ) {
    this.#estimatedInputTokens = estimatedInputTokens;
    this.blocks = new BlockWriter(thinkingSignature, new ClientCalls(request, toolNames));
    this.#wantsLogprobs = request['logprobs'] === true;
  }

  /** Reads probabilities if the client requested them: some providers send them with every answer. */
  logprobsIn(value: unknown, read = tokenLogprobs): TokenLogprob[] | undefined {
    return this.#wantsLogprobs ? read(value) : undefined;
  }

  /** Whether the provider has sent its stop reason, and the answer has not ended yet. */
  get isClosing(): boolean {
    return this.#hasSaidWhy && !this.ended;
  }

  /** Runs a reader over a piece of the stream. Events written before a failure are in the batch next to it. */
  reading(read: () => void): Reading {
    let failure: unknown;
    try {
      read();
    } catch (error) {
      // Data after the end of an answer is ignored, and so are its errors.
      if (!this.ended) failure = error;
    }
    this.#collect();
    const events = this.#events.map((data) => ({ data }));
    this.#events = [];
    // An answer that fails in its first piece has not begun.
    if (failure && !this.blocks.hasOutput && !this.#begun) return { batch: undefined, failure, hasOutput: false };
    this.#begun ||= events.length > 0;
    // The last event of a complete answer carries its usage.
    const usage = this.#finished ? undefined : this.#unreported;
    this.#unreported = undefined;
    const heldBackBytes = this.blocks.heldBackBytes + this.waitingBytes;
    const nativeReason = this.#nativeReason;
    const hasOutput = events.length > 0 || heldBackBytes > this.#heldBackBytes || this.#hasThought;
    this.#heldBackBytes = heldBackBytes;
    this.#hasThought = false;
    const isNews = events.length > 0 || usage !== undefined || heldBackBytes > 0;
    if (!isNews) return { batch: undefined, failure, hasOutput };
    this.#nativeReason = undefined;
    return { batch: { events, usage, heldBackBytes, isClosing: this.isClosing, nativeReason }, failure, hasOutput };
  }

  /** Writes message_start on the first call. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events.push(messageStart({ input_tokens: this.#estimatedInputTokens, output_tokens: 0 }));
  }

  /** Takes usage reported so far. Some providers report it in every event, and not always with growing counts. */
  report(usage: WireUsage): void {
    this.#hasThought ||= (usage.output_tokens ?? 0) > (this.#usage?.output_tokens ?? 0);
    this.#unreported = this.#usage = laterUsage(this.#usage, usage);
  }

  /**
   * Notes that the provider has sent its stop reason. Usage may still follow.
   * @param reason the provider's own stop reason, for the record
   */
  close(reason: string): void {
    this.#hasSaidWhy = true;
    if (NATIVE_REASON.test(reason)) this.#nativeReason = reason;
  }

  /** Writes pending blocks and the end. If the provider reported no usage, the gateway estimates the counts later. */
  finish(stopReason: StopReason, matchedStopSequence: string | null = null): void {
    this.blocks.finish();
    this.#collect();
    this.#events.push(
      {
        type: 'message_delta',
        delta: { stop_reason: stopReason, stop_sequence: matchedStopSequence },
        usage: this.#usage ?? {},
      },
      { type: 'message_stop' },
    );
    this.ended = this.#finished = true;
  }

  /** Ends the answer with the provider's own error. */
  fail(error: unknown): void {
    this.#collect();
    this.#events.push({ type: 'error', error });
    this.ended = true;
  }

  #collect(): void {
    for (const event of this.blocks.take()) this.#events.push(event);
  }
}

/** Merges two reports. The later one wins, but output never shrinks, and no prompt token counts twice. */
function laterUsage(known: WireUsage | undefined, later: WireUsage): WireUsage {
  if (!known) return later;
  const output = Math.max(known.output_tokens ?? 0, later.output_tokens ?? 0);
  const isReported = known.output_tokens !== undefined || later.output_tokens !== undefined;
  return {
    ...known,
    ...later,
    ...laterPromptUsage(known, later),
    ...(isReported ? { output_tokens: output } : {}),
  };
}

/**
 * Usage of the prompt. The last reported size wins. Cache counts that the later report lacks are kept, within that
 * size.
 */
function laterPromptUsage(known: WireUsage, later: WireUsage): WireUsage {
  // A zero after a positive count is ignored.
  const size = sizeOf(later) || (sizeOf(known) ?? sizeOf(later));
  if (size === undefined) return {};
  const readNamed = later.cache_read_input_tokens || known.cache_read_input_tokens;
  const writtenNamed = later.cache_creation_input_tokens || known.cache_creation_input_tokens;
  const read = Math.min(readNamed ?? 0, size);
  const written = Math.min(writtenNamed ?? 0, size - read);
  return {
    input_tokens: size - read - written,
    ...(readNamed == null ? {} : { cache_read_input_tokens: read }),
    ...(writtenNamed == null ? {} : { cache_creation_input_tokens: written }),
  };
}

function sizeOf({ input_tokens: input, ...usage }: WireUsage): number | undefined {
  if (input == null) return undefined;
  return input + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
}
