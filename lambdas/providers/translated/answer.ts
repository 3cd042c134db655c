import { messageStart } from '../../messages/message-start.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { MessagesEvent, StopReason, WireUsage } from '../../messages/types.ts';
import type { Reading } from '../decoded-body.ts';
import type { DecodeContext } from '../wire.ts';
import { BlockWriter } from './block-writer.ts';
import { ClientCalls } from './client-calls.ts';
import { tokenLogprobs } from './logprobs.ts';
import type { ToolNameRule } from './tool-names.ts';

/** Matches a provider's stop reason that is a single word. Other texts are not recorded. */
const NATIVE_REASON = /^[\w.:-]{1,64}$/;

/** An answer that is converted from another wire to events of the Messages API. */
export class TranslatedAnswer {
  readonly blocks: BlockWriter;
  /** Whether message_stop or an error was written. No event may follow. */
  ended = false;
  /** Size of the output that the wire's parser has read but not yet written to this answer, in bytes. */
  waitingBytes = 0;
  #heldBackBytes = 0;
  /** Whether the provider has reported more output tokens since the last `reading`. Their text may be hidden. */
  #hasThought = false;
  readonly #estimatedInputTokens: number;
  #events: MessagesEvent[] = [];
  #started = false;
  #hasStopReason = false;
  /** The provider's own stop reason; undefined again after a batch has reported it. */
  #nativeReason: string | undefined;
  /** Whether a batch has returned events. */
  #begun = false;
  #finished = false;
  #usage: WireUsage | undefined;
  /** Usage that no batch has reported yet. */
  #unreported: WireUsage | undefined;

  readonly #wantsLogprobs: boolean;

  /** @param thinkingSignature signature for thinking that the provider does not sign itself */
  constructor(
    { estimatedInputTokens, request }: Pick<DecodeContext, 'estimatedInputTokens' | 'request'>,
    thinkingSignature: string,
    toolNames: ToolNameRule = 'any',
  ) {
    this.#estimatedInputTokens = estimatedInputTokens;
    this.blocks = new BlockWriter(thinkingSignature, new ClientCalls(request, toolNames));
    this.#wantsLogprobs = request['logprobs'] === true;
  }

  /** Reads token probabilities if the client requested them. Some providers send them with every answer. */
  logprobsIn(value: unknown, read = tokenLogprobs): TokenLogprob[] | undefined {
    return this.#wantsLogprobs ? read(value) : undefined;
  }

  /** Whether the provider has sent its stop reason, but the answer has not ended yet. */
  get isClosing(): boolean {
    return this.#hasStopReason && !this.ended;
  }

  /** Runs `read`, and returns the new events, also those before a failure in the middle of the answer. */
  reading(read: () => void): Reading {
    let failure: unknown;
    try {
      read();
    } catch (error) {
      // Data after the end of the answer is ignored, even if the data is invalid.
      if (!this.ended) failure = error;
    }
    this.#collect();
    const events = this.#events.map((data) => ({ data }));
    this.#events = [];
    // After a failure before any output, no event is returned, so that another endpoint can still answer the request.
    if (failure && !this.blocks.hasOutput && !this.#begun) return { batch: undefined, failure, hasOutput: false };
    this.#begun ||= events.length > 0;
    // At the end of a complete answer, the message_delta contains the usage, so the batch does not repeat it.
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

  /** Writes message_start, unless it was written before. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events.push(messageStart({ input_tokens: this.#estimatedInputTokens, output_tokens: 0 }));
  }

  /** Merges usage into the known usage. Some providers report it in every event, and counts may decrease. */
  report(usage: WireUsage): void {
    this.#hasThought ||= (usage.output_tokens ?? 0) > (this.#usage?.output_tokens ?? 0);
    this.#unreported = this.#usage = laterUsage(this.#usage, usage);
  }

  /**
   * Records the stop reason. Usage may still follow.
   * @param reason the provider's own stop reason, for the request's record
   */
  close(reason: string): void {
    this.#hasStopReason = true;
    if (NATIVE_REASON.test(reason)) this.#nativeReason = reason;
  }

  /** Writes pending blocks and the end of the answer. */
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

  /** Ends the answer with an error of the provider. */
  fail(error: unknown): void {
    this.#collect();
    this.#events.push({ type: 'error', error });
    this.ended = true;
  }

  #collect(): void {
    for (const event of this.blocks.take()) this.#events.push(event);
  }
}

/**
 * Merges two reports of usage. The later report usually has precedence, but the output never decreases, and no prompt
 * token is counted twice.
 */
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
 * Merges the prompt's counts. The prompt size comes from the later report, or otherwise from the earlier report. Cache
 * counts that are missing or 0 in the later report come from the earlier report, up to the prompt size.
 */
function laterPromptUsage(known: WireUsage, later: WireUsage): WireUsage {
  // A later size of 0 is ignored if the earlier size is positive.
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
