import { promptUnits } from '../catalog/unit-lists.ts';
import type { Block, MessagesEvent } from '../messages/types.ts';
import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import { blockBytes, deltaBytes, mediaTokens } from './event-bytes.ts';
import { readReportedUsage, replaced, unpricedSigns, updated, type ReportedUsage } from './reported-usage.ts';
import { estimateTokens, fitParts, hasUnitAlone, noParts, type TokenUsage } from './usage.ts';

/** Assumed speed of hidden reasoning. Used only if an answer ends before its usage is reported. */
const HIDDEN_TOKENS_PER_SECOND = 60;
/**
 * Time in ms after the request that is not charged as hidden reasoning, because network, queueing and reading of the
 * prompt take this time.
 */
const HIDDEN_AFTER_MS = 2_000;

/**
 * Measures an answer while it is forwarded: the usage that the provider reports, and the gateway's own counts if the
 * provider reports nothing. Providers report usage in the first event, in the last event, or in both. Reports are
 * merged (reported-usage.ts), never added up.
 */
export class UsageMeter {
  /** performance.now() of the first event. */
  firstEventAtMs: number | undefined;
  finishReason: string | null = null;
  /** The provider's own finish reason, if the Messages API does not define it. */
  nativeFinishReason: string | null = null;
  /** Anthropic's category of a refusal (`stop_details`). */
  refusalCategory: unknown;
  searchResults: number | null = null;
  /** Number of images and songs in the answer, plus one if the answer contains speech; null if it contains none. */
  mediaItems: number | null = null;
  /** Whether the model has started: a block was opened or thinking was reported, even without visible output. */
  hasBegun = false;
  /** Names of features that the provider charges for and that have no price in the catalog. */
  readonly unpriced = new Set<string>();
  /**
   * Number of UTF-8 bytes that the model wrote. A token has at least one byte, so this number bounds the visible
   * tokens.
   */
  #writtenBytes = 0;
  #thinkingBytes = 0;
  /** Estimated tokens of images and of speech so far. */
  readonly #media = { image: 0, audio: 0 };
  /** Number of songs so far. They are billed by piece, so their audio has no tokens. */
  #songs = 0;
  /** Number of bytes that the model has written and the decoder has not forwarded yet. */
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

  /** Returns a meter for the answer's next request to the provider (round). */
  next(estimatedInputTokens: number): UsageMeter {
    const next = new UsageMeter({ estimatedInputTokens, promptCountedAtStart: this.#promptCountedAtStart });
    next.firstEventAtMs = this.firstEventAtMs;
    next.searchResults = this.searchResults;
    next.mediaItems = this.mediaItems;
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

  /**
   * Adds usage that the provider reported, in a Messages API event or outside of these events. For example, a provider
   * may report usage although its answer breaks off before the event with the usage.
   */
  addReported(usage: unknown): void {
    this.#noteUnpriced(usage);
    const reported = readReportedUsage(usage);
    // The output count in the first event may be one token too high, so the first later report replaces it.
    if (reported.outputTokens !== undefined && !this.#isOutputReported) delete this.#reported.outputTokens;
    // If a provider does not report the prompt's tokens in the first event, its decoder has already merged the reports.
    // The latest report then replaces the earlier ones.
    this.#reported = (this.#promptCountedAtStart ? updated : replaced)(this.#reported, reported);
    if (reported.outputTokens === undefined) return;
    this.#isOutputReported = true;
    if ((reported.reasoningTokens ?? 0) > 0) this.hasBegun = true;
    this.#bytesWhenReported = this.outputBytes;
  }

  #noteUnpriced(usage: unknown): void {
    for (const sign of unpricedSigns(usage)) this.unpriced.add(sign);
  }

  /** Sets how many of the written bytes the decoder has not forwarded yet. */
  holdBack(bytes: number): void {
    this.#heldBackBytes = bytes;
  }

  /** Number of bytes that the model has written, forwarded or not. */
  get outputBytes(): number {
    return this.#writtenBytes + this.#heldBackBytes;
  }

  get hasOutput(): boolean {
    return this.outputBytes > 0;
  }

  /** Output tokens that the provider reported; undefined before its first report after the start. */
  get reportedOutputTokens(): number | undefined {
    return this.#isOutputReported ? this.#reported.outputTokens : undefined;
  }

  /**
   * Whether the provider has reported tokens of the prompt, or a unit that needs no tokens. Zeros are ignored: some
   * providers report zeros first and the numbers at the end, or never.
   */
  get hasPromptCount(): boolean {
    const { cacheWriteTokens = 0 } = this.#reported;
    const counted = promptUnits.reduce((sum, { usage: field }) => sum + (this.#reported[field] ?? 0), cacheWriteTokens);
    return counted > 0 || hasUnitAlone(this.#reported);
  }

  /** Whether the provider has reported the lifetime of its cache writes. */
  get reportsCacheLifetimes(): boolean {
    return (this.#reported.cacheWrite5mTokens ?? 0) + (this.#reported.cacheWrite1hTokens ?? 0) > 0;
  }

  /**
   * Whether the provider reported the output tokens, and the model wrote nothing after that report. A report of zero
   * tokens for written output is ignored.
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

  /** Whether the provider has reported tokens of the prompt or the output, or a unit that needs no tokens. */
  get hasReport(): boolean {
    return this.hasPromptCount || (this.#reported.outputTokens ?? 0) > 0;
  }

  /**
   * Usage that the provider itself has reported so far. Input or output tokens that were not reported are 0. Songs, and
   * parts of the output such as reasoning, are omitted.
   */
  get reportedUsage(): { usage: TokenUsage; estimated: boolean } {
    const { inputTokens = 0, outputTokens = 0 } = this.#reported;
    const { usage } = this.usage();
    return { usage: { ...usage, inputTokens, outputTokens, songs: undefined, ...noParts }, estimated: false };
  }

  /** Returns the estimated output. Its reasoning is a separate number, because some prices depend on it. */
  #countedOutput(hiddenSinceMs: number | undefined): Pick<TokenUsage, 'outputTokens' | 'reasoningTokens'> {
    const { outputTokens = 0, reasoningTokens } = this.#reported;
    const shown = estimateTokens(this.#thinkingBytes);
    // Visible thinking may be only a summary of the real reasoning. The largest number is therefore used: the tokens of
    // the visible thinking, the reported reasoning tokens, or the tokens for the time without other output.
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
    if (event.type === 'content_block_start' && event.content_block['song'] === true) {
      this.#songs += 1;
      this.mediaItems = (this.mediaItems ?? 0) + 1;
    }
    const tokens = mediaTokens(event);
    if (!tokens || this.#songs > 0) return;
    const isNewItem = tokens.image > 0 || (tokens.audio > 0 && this.#media.audio === 0);
    if (isNewItem) this.mediaItems = (this.mediaItems ?? 0) + 1;
    this.#media.image += tokens.image;
    this.#media.audio += tokens.audio;
  }

  /**
   * Returns the songs, and the tokens of images and speech. These tokens have their own prices. A report without them,
   * or a report before the end of the answer, does not replace the estimate. Otherwise, these tokens would be billed as
   * text.
   */
  #mediaUsage(): Pick<TokenUsage, 'imageOutputTokens' | 'audioOutputTokens' | 'songs'> {
    const { imageOutputTokens: image, audioOutputTokens: audio } = this.#reported;
    return {
      ...(this.#media.image === 0 ? {} : { imageOutputTokens: this.#countedMedia(image, this.#media.image) }),
      ...(this.#media.audio === 0 ? {} : { audioOutputTokens: this.#countedMedia(audio, this.#media.audio) }),
      ...(this.#songs === 0 ? {} : { songs: this.#songs }),
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
 * Splits the total of cache writes by lifetime. The provider may report the split only once, while the total keeps
 * growing. The part of the total that is not reported as one-hour writes therefore counts as five-minute writes. A
 * total of 0 with a split is ignored.
 */
function cacheWrites(reported: ReportedUsage): Pick<TokenUsage, 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  const { cacheWriteTokens: total, cacheWrite5mTokens: short, cacheWrite1hTokens: long } = reported;
  if (!total) return { cacheWrite5mTokens: short ?? total, cacheWrite1hTokens: long };
  const kept = long === undefined ? undefined : Math.min(long, total);
  return { cacheWrite5mTokens: total - (kept ?? 0), cacheWrite1hTokens: kept };
}
