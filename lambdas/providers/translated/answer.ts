import { messageStart } from '../../messages/message-start.ts';
import type { TokenLogprob } from '../../messages/token-logprob.ts';
import type { AnswerBatch, MessagesEvent, StopReason, WireUsage } from '../../messages/types.ts';
import type { DecodeContext } from '../wire.ts';
import { BlockWriter } from './block-writer.ts';
import { ClientCalls } from './client-calls.ts';
import { tokenLogprobs } from './logprobs.ts';
import type { ToolNameRule } from './tool-names.ts';

/** A word, and no sentence: it is kept. */
const NATIVE_REASON = /^[\w.:-]{1,64}$/;

/** What a piece of a stream came to: a batch, unless there is nothing new, and a failure that came after it. */
export interface Reading {
  batch: AnswerBatch | undefined;
  failure: unknown;
  /** The model has written something, whether it is in the batch or waits for its turn. */
  hasOutput: boolean;
}

/** An answer on its way from another wire to the Messages API: started, written block by block, and ended, each once. */
export class TranslatedAnswer {
  /** Its blocks, in the order in which they are written. */
  readonly blocks: BlockWriter;
  /** message_stop or an error was written: nothing may follow. */
  ended = false;
  /** Bytes that the model has written and that a reader keeps back itself, before they are blocks. */
  waitingBytes = 0;
  /** Bytes that waited for their turn after the last reading. */
  #heldBackBytes = 0;
  /** The provider has reported more output since the last reading, whether it shows it or not. */
  #hasThought = false;
  readonly #estimatedInputTokens: number;
  #events: MessagesEvent[] = [];
  #started = false;
  #hasSaidWhy = false;
  /** Why it ends, in the provider's word, until a batch has carried it. */
  #nativeReason: string | undefined;
  /** Part of it has been passed on. */
  #begun = false;
  #finished = false;
  #usage: WireUsage | undefined;
  /** Usage that no batch has carried yet. */
  #unreported: WireUsage | undefined;

  /**
   * @param thinkingSignature of thinking that the provider does not sign itself
   * @param toolNames the rule by which the names of tools were sent
   */
  readonly #wantsLogprobs: boolean;

  constructor(
    { estimatedInputTokens, request }: Pick<DecodeContext, 'estimatedInputTokens' | 'request'>,
    thinkingSignature: string,
    toolNames: ToolNameRule = 'any',
  ) {
    this.#estimatedInputTokens = estimatedInputTokens;
    this.blocks = new BlockWriter(thinkingSignature, new ClientCalls(request, toolNames));
    this.#wantsLogprobs = request['logprobs'] === true;
  }

  /** Reads probabilities if the client asked for them: some providers send them with every answer. */
  logprobsIn(value: unknown, read = tokenLogprobs): TokenLogprob[] | undefined {
    return this.#wantsLogprobs ? read(value) : undefined;
  }

  /** It has said why it ends, and has not ended yet. */
  get isClosing(): boolean {
    return this.#hasSaidWhy && !this.ended;
  }

  /** Runs a reader over a piece of the stream. What was written before a failure is in the batch next to it. */
  reading(read: () => void): Reading {
    let failure: unknown;
    try {
      read();
    } catch (error) {
      // Whatever comes behind the end of an answer is nothing of it.
      if (!this.ended) failure = error;
    }
    this.#collect();
    const events = this.#events.map((data) => ({ data }));
    this.#events = [];
    // An answer that fails in its first piece has not begun.
    if (failure && !this.blocks.hasOutput && !this.#begun) return { batch: undefined, failure, hasOutput: false };
    this.#begun ||= events.length > 0;
    // The end of a whole answer carries its usage itself.
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

  /** Writes message_start, the first time. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#events.push(messageStart({ input_tokens: this.#estimatedInputTokens, output_tokens: 0 }));
  }

  /** Takes what the provider reports so far. Some report it in every event, and not always more of it. */
  report(usage: WireUsage): void {
    this.#hasThought ||= (usage.output_tokens ?? 0) > (this.#usage?.output_tokens ?? 0);
    this.#unreported = this.#usage = laterUsage(this.#usage, usage);
  }

  /**
   * The provider has said why it ends; usage may follow.
   * @param reason in its own word, for the record
   */
  close(reason: string): void {
    this.#hasSaidWhy = true;
    if (NATIVE_REASON.test(reason)) this.#nativeReason = reason;
  }

  /** Writes what is left, and the end. Without usage from the provider, the gateway counts and fills in the numbers. */
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

  /** Ends it with an error, as the provider wrote it. */
  fail(error: unknown): void {
    this.#collect();
    this.#events.push({ type: 'error', error });
    this.ended = true;
  }

  #collect(): void {
    for (const event of this.blocks.take()) this.#events.push(event);
  }
}

/** The later report counts, but output never shrinks, and no token of the prompt counts twice. */
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

/** The size that was told last counts; what was named of caches, and not named again, is within it. */
function laterPromptUsage(known: WireUsage, later: WireUsage): WireUsage {
  // A zero after a number says nothing.
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
