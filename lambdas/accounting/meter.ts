import { mostBlocks, promptUnits, type PieceField } from '../catalog/unit-lists.ts';
import type { Block, MessagesEvent } from '../messages/types.ts';
import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import { blockBytes, deltaBytes, mediaTokens } from './event-bytes.ts';
import { readReportedUsage, replaced, unpricedSigns, updated, type ReportedUsage } from './reported-usage.ts';
import { estimateTokens, fitParts, hasUnitAlone, noParts, type TokenUsage } from './usage.ts';

/** Assumed speed of hidden reasoning in tokens per second. */
const HIDDEN_TOKENS_PER_SECOND = 60;
/** Time in ms after the request was sent for which the estimate assumes no hidden reasoning. */
const HIDDEN_AFTER_MS = 2_000;

/** Measures an answer while it is forwarded, by merged reports of the provider or else by the gateway's own counts. */
export class UsageMeter {
  /** performance.now() of the first event. */
  firstEventAtMs: number | undefined;
  finishReason: string | null = null;
  /** The provider's own finish reason, if the Messages API does not define it. */
  nativeFinishReason: string | null = null;
  /** Anthropic's category of a refusal (`stop_details`). */
  refusalCategory: unknown;
  searchResults: number | null = null;
  /**
   * Number of images, and of content blocks that are billed per piece, plus one if the answer contains speech;
   * null if the answer has none of these.
   */
  mediaItems: number | null = null;
  /** Whether a block was opened or thinking was reported, even without visible output. */
  hasBegun = false;
  /** Names of features that the provider may charge for, without a price in the catalog. */
  readonly unpriced = new Set<string>();
  /** UTF-8 bytes that the model wrote. A token has at least one byte. */
  #writtenBytes = 0;
  #thinkingBytes = 0;
  readonly #media = { image: 0, audio: 0 };
  /**
   * Numbers of content blocks so far that are billed per piece. If a unit that needs no tokens is among them, tokens of
   * images and speech are not counted.
   */
  readonly #pieces: Partial<TokenUsage> = {};
  /** Whether an earlier round or this one contains speech. */
  #hasSpoken = false;
  /** Bytes that the model has written and the decoder has not forwarded yet. */
  #heldBackBytes = 0;
  /** performance.now() at which the model first wrote something other than thinking. */
  #spokeAtMs: number | undefined;
  #reported: ReportedUsage = {};
  #isOutputReported = false;
  #bytesWhenReported = 0;
  readonly #estimatedInputTokens: number;
  readonly #promptCountedAtStart: boolean;

  constructor(options: { estimatedInputTokens: number; promptCountedAtStart: boolean }) {
    this.#estimatedInputTokens = options.estimatedInputTokens;
    this.#promptCountedAtStart = options.promptCountedAtStart;
  }

  next(estimatedInputTokens: number): UsageMeter {
    const next = new UsageMeter({ estimatedInputTokens, promptCountedAtStart: this.#promptCountedAtStart });
    next.firstEventAtMs = this.firstEventAtMs;
    next.searchResults = this.searchResults;
    next.mediaItems = this.mediaItems;
    next.#hasSpoken = this.#hasSpoken;
    for (const sign of this.unpriced) next.unpriced.add(sign);
    return next;
  }

  observe(event: MessagesEvent): void {
    this.firstEventAtMs ??= performance.now();
    this.#countMedia(event);
    switch (event.type) {
      case 'message_start':
        this.#noteUnpriced(event.message.usage);
        if (this.#promptCountedAtStart) this.#reported = readReportedUsage(event.message.usage);
        break;
      case 'content_block_start':
        this.hasBegun = true;
        this.#observeBlock(event.content_block);
        break;
      case 'content_block_delta':
        this.#write(deltaBytes(event.delta), event.delta.type === 'thinking_delta');
        break;
      case 'message_delta':
        this.addReported(event.usage);
        this.finishReason = event.delta.stop_reason ?? this.finishReason;
        this.refusalCategory = recordOrEmpty(event.delta['stop_details'])['category'] ?? this.refusalCategory;
        break;
    }
  }

  /** Adds usage that the provider reported, in a Messages API event or outside of these events. */
  addReported(usage: unknown): void {
    this.#noteUnpriced(usage);
    const reported = readReportedUsage(usage);
    if (reported.outputTokens !== undefined && !this.#isOutputReported) delete this.#reported.outputTokens;
    // A report of another API than the Messages API replaces the earlier prompt counts, because its decoder has merged
    // them.
    this.#reported = (this.#promptCountedAtStart ? updated : replaced)(this.#reported, reported);
    if (reported.outputTokens === undefined) return;
    this.#isOutputReported = true;
    if ((reported.reasoningTokens ?? 0) > 0) this.hasBegun = true;
    this.#bytesWhenReported = this.outputBytes;
  }

  #noteUnpriced(usage: unknown): void {
    for (const sign of unpricedSigns(usage)) this.unpriced.add(sign);
  }

  holdBack(bytes: number): void {
    this.#heldBackBytes = bytes;
  }

  get outputBytes(): number {
    return this.#writtenBytes + this.#heldBackBytes;
  }

  get hasOutput(): boolean {
    return this.outputBytes > 0;
  }

  /** Output tokens that the provider reported after the start of the answer; undefined before this report. */
  get reportedOutputTokens(): number | undefined {
    return this.#isOutputReported ? this.#reported.outputTokens : undefined;
  }

  /** Whether the provider has reported tokens of the prompt, or a unit that needs no tokens. */
  get hasPromptCount(): boolean {
    const { cacheWriteTokens = 0 } = this.#reported;
    const counted = promptUnits.reduce((sum, { usage: field }) => sum + (this.#reported[field] ?? 0), cacheWriteTokens);
    return counted > 0 || hasUnitAlone(this.#reported);
  }

  get reportsCacheLifetimes(): boolean {
    return (this.#reported.cacheWrite5mTokens ?? 0) + (this.#reported.cacheWrite1hTokens ?? 0) > 0;
  }

  /**
   * Whether the provider reported the output tokens, and the model wrote nothing after that report. A report of zero
   * tokens does not count if there is output.
   */
  get hasOutputCount(): boolean {
    if (!this.#isOutputReported || this.#bytesWhenReported < this.outputBytes) return false;
    return this.#reported.outputTokens! > 0 || !this.hasOutput;
  }

  /**
   * Returns the usage so far, with estimates for the counts that the provider has not reported.
   * @param hiddenSinceMs performance.now() at which hidden reasoning may have begun; undefined if the model has none
   */
  usage(hiddenSinceMs?: number): { usage: TokenUsage; estimated: boolean } {
    const { cacheWriteTokens: _, inputTokens = 0, ...counts } = this.#reported;
    const usage: TokenUsage = {
      ...counts,
      ...this.#mediaUsage(),
      inputTokens: this.hasPromptCount ? inputTokens : this.#estimatedInputTokens,
      ...(this.hasOutputCount ? { outputTokens: this.#reported.outputTokens! } : this.#countedOutput(hiddenSinceMs)),
      ...cacheWrites(this.#reported),
    };
    fitParts(usage);
    return { usage, estimated: !this.hasOutputCount || !this.hasPromptCount };
  }

  /** Estimated tokens of the thinking that the model has shown. */
  get shownThinkingTokens(): number {
    return estimateTokens(this.#thinkingBytes);
  }

  get hasReport(): boolean {
    return this.hasPromptCount || (this.#reported.outputTokens ?? 0) > 0;
  }

  /** Usage that the provider has reported, without parts of the output such as reasoning. */
  get reportedUsage(): { usage: TokenUsage; estimated: boolean } {
    const { cacheWriteTokens: _, inputTokens = 0, outputTokens = 0, ...counts } = this.#reported;
    const usage = { ...counts, inputTokens, outputTokens, ...cacheWrites(this.#reported), ...noParts };
    return { usage, estimated: false };
  }

  /** Returns the estimated output. */
  #countedOutput(hiddenSinceMs: number | undefined): Pick<TokenUsage, 'outputTokens' | 'reasoningTokens'> {
    const { outputTokens = 0, reasoningTokens } = this.#reported;
    const shown = this.shownThinkingTokens;
    // Uses the largest of three numbers, because visible thinking may be only a summary of the billed thinking.
    const reasoning = Math.max(shown, reasoningTokens ?? 0, this.#hiddenTokens(hiddenSinceMs));
    return {
      outputTokens: Math.max(estimateTokens(this.outputBytes) - shown + reasoning, outputTokens),
      reasoningTokens: reasoning > 0 ? reasoning : reasoningTokens,
    };
  }

  #hiddenTokens(sinceMs: number | undefined): number {
    if (sinceMs === undefined) return 0;
    const hiddenMs = Math.max(0, (this.#spokeAtMs ?? performance.now()) - sinceMs - HIDDEN_AFTER_MS);
    return Math.ceil((hiddenMs / 1_000) * HIDDEN_TOKENS_PER_SECOND);
  }

  #countMedia(event: MessagesEvent): void {
    if (event.type === 'content_block_start') {
      const field = event.content_block['piece'] as PieceField;
      if (Object.hasOwn(mostBlocks, field)) {
        this.#pieces[field] = (this.#pieces[field] ?? 0) + 1;
        this.mediaItems = (this.mediaItems ?? 0) + 1;
      }
    }
    const tokens = mediaTokens(event);
    if (!tokens || hasUnitAlone(this.#pieces)) return;
    const isFirstSpeech = tokens.audio > 0 && !this.#hasSpoken;
    this.#hasSpoken ||= isFirstSpeech;
    if (tokens.image > 0 || isFirstSpeech) this.mediaItems = (this.mediaItems ?? 0) + 1;
    this.#media.image += tokens.image;
    this.#media.audio += tokens.audio;
  }

  /**
   * Returns the numbers of content blocks that are billed per piece, and the tokens of images and speech, which have
   * their own prices. If the provider has not reported these tokens at the end, they are estimated, so that they are
   * not billed as text.
   */
  #mediaUsage(): Partial<TokenUsage> {
    const { imageOutputTokens: image, audioOutputTokens: audio } = this.#reported;
    return {
      ...(this.#media.image === 0 ? {} : { imageOutputTokens: this.#countedMedia(image, this.#media.image) }),
      ...(this.#media.audio === 0 ? {} : { audioOutputTokens: this.#countedMedia(audio, this.#media.audio) }),
      ...this.#pieces,
    };
  }

  #countedMedia(reported: number | undefined, estimated: number): number {
    if (reported && this.hasOutputCount) return reported;
    return Math.max(reported ?? 0, Math.ceil(estimated));
  }

  #observeBlock(block: Block): void {
    this.#write(blockBytes(block), block.type === 'thinking' || block.type === 'redacted_thinking');
    if (block.type === 'web_search_tool_result' && Array.isArray(block['content'])) {
      this.searchResults = (this.searchResults ?? 0) + block['content'].length;
    }
  }

  #write(bytes: number, isThinking: boolean): void {
    if (bytes === 0) return;
    this.#writtenBytes += bytes;
    if (isThinking) this.#thinkingBytes += bytes;
    else this.#spokeAtMs ??= performance.now();
  }
}

/**
 * Splits the total of cache writes by lifetime. The total may grow after the split was reported, so the part that is
 * not reported as one-hour writes counts as five-minute writes.
 */
function cacheWrites(reported: ReportedUsage): Pick<TokenUsage, 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  const { cacheWriteTokens: total, cacheWrite5mTokens: short, cacheWrite1hTokens: long } = reported;
  if (!total) return { cacheWrite5mTokens: short ?? total, cacheWrite1hTokens: long };
  const kept = long === undefined ? undefined : Math.min(long, total);
  return { cacheWrite5mTokens: total - (kept ?? 0), cacheWrite1hTokens: kept };
}
