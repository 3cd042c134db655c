import type { Block, MessagesEvent } from '../messages/types.ts';
import { readToldUsage, unpricedSigns, updated, type ToldUsage } from './told-usage.ts';
import { estimateTokens, type TokenUsage } from './usage.ts';

/** A call's own syntax, beside its name and arguments, is billed: some dozens of tokens that nobody sees. */
const CALL_OVERHEAD_BYTES = 64;
/** How fast models think where nobody shows it; only used when an answer is given up before its usage is told. */
const HIDDEN_TOKENS_PER_SECOND = 60;
/** Network, queueing and reading of the prompt: nothing is thought in this time. */
const HIDDEN_AFTER_MS = 2_000;

/**
 * Measures an answer while it passes: what the provider says of its usage, and what can be counted where it says
 * nothing. Providers say it in the first event, in the last, or in both: the largest value of each field counts, never
 * the sum.
 */
export class UsageMeter {
  /** performance.now() of the first event. */
  firstEventAtMs: number | undefined;
  finishReason: string | null = null;
  searchResults: number | null = null;
  /** A block was opened, or thinking told: the model had begun, whether or not a word of it was shown. */
  hasBegun = false;
  /** What the provider charges for, by its own word, and the catalog has no price for. */
  readonly unpriced = new Set<string>();
  /** UTF-8 bytes of everything the model wrote. A token has at least one byte, so this bounds its visible tokens. */
  #writtenBytes = 0;
  #thinkingBytes = 0;
  /** Written by the model, and not yet passed on by the wire. */
  #heldBackBytes = 0;
  /** performance.now() at which the model first wrote something else than thinking. */
  #spokeAtMs: number | undefined;
  #told: ToldUsage = {};
  #outputTold = false;
  #bytesWhenTold = 0;
  readonly #estimatedInputTokens: number;
  readonly #promptCountedAtStart: boolean;

  constructor(options: { estimatedInputTokens: number; promptCountedAtStart: boolean }) {
    this.#estimatedInputTokens = options.estimatedInputTokens;
    this.#promptCountedAtStart = options.promptCountedAtStart;
  }

  observe(event: MessagesEvent): void {
    this.firstEventAtMs ??= performance.now();
    switch (event.type) {
      case 'message_start':
        if (this.#promptCountedAtStart) this.#told = readToldUsage(event.message.usage);
        break;
      case 'content_block_start':
        this.hasBegun = true;
        this.#observeBlock(event.content_block);
        break;
      case 'content_block_delta':
        this.#write(deltaBytes(event.delta), event.delta.type === 'thinking_delta');
        break;
      case 'message_delta':
        this.tell(event.usage);
        this.finishReason = event.delta.stop_reason ?? this.finishReason;
        break;
    }
  }

  /** Usage that the provider told outside of any event of the Messages API, e.g. before it broke off. */
  tell(usage: unknown): void {
    for (const sign of unpricedSigns(usage)) this.unpriced.add(sign);
    const told = readToldUsage(usage);
    // What the first event said of the output counts a token ahead: the first real word replaces it.
    if (told.outputTokens !== undefined && !this.#outputTold) delete this.#told.outputTokens;
    this.#told = updated(this.#told, told);
    if (told.outputTokens === undefined) return;
    this.#outputTold = true;
    if ((told.reasoningTokens ?? 0) > 0) this.hasBegun = true;
    this.#bytesWhenTold = this.outputBytes;
  }

  /** The wire keeps back this much of what the model has written so far. */
  holdBack(bytes: number): void {
    this.#heldBackBytes = bytes;
  }

  /** Everything that the model has written, passed on or not. */
  get outputBytes(): number {
    return this.#writtenBytes + this.#heldBackBytes;
  }

  get hasOutput(): boolean {
    return this.outputBytes > 0;
  }

  /** Output tokens by the provider's word; undefined until it says. */
  get toldOutputTokens(): number | undefined {
    return this.#outputTold ? this.#told.outputTokens : undefined;
  }

  /** The provider has counted the prompt. Some begin with zeros and tell the numbers at the end, or never. */
  get knowsPrompt(): boolean {
    const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = this.#told;
    return inputTokens + cacheReadTokens + cacheWriteTokens > 0;
  }

  /** The provider told the output, and wrote no more after that. A zero for something that was written tells nothing. */
  get knowsOutput(): boolean {
    if (!this.#outputTold || this.#bytesWhenTold < this.outputBytes) return false;
    return this.#told.outputTokens! > 0 || !this.hasOutput;
  }

  /**
   * The usage so far; estimated where the provider did not tell, or has not told yet.
   * @param hiddenSinceMs performance.now() since when the model may have been thinking without showing it, if it may
   */
  usage(hiddenSinceMs?: number): { usage: TokenUsage; estimated: boolean } {
    const told = this.#told;
    const outputTokens = this.knowsOutput ? told.outputTokens! : this.#countedOutput(hiddenSinceMs);
    return {
      usage: {
        inputTokens: this.knowsPrompt ? (told.inputTokens ?? 0) : this.#estimatedInputTokens,
        outputTokens,
        cacheReadTokens: told.cacheReadTokens,
        ...cacheWrites(told),
        // A part cannot be more than the whole, or the rest would have a negative price.
        reasoningTokens: told.reasoningTokens === undefined ? undefined : Math.min(told.reasoningTokens, outputTokens),
        searchRequests: told.searchRequests,
      },
      estimated: !this.knowsOutput || !this.knowsPrompt,
    };
  }

  #countedOutput(hiddenSinceMs: number | undefined): number {
    const visible = estimateTokens(this.outputBytes);
    const counted = Math.max(visible, this.#told.outputTokens ?? 0);
    if (hiddenSinceMs === undefined) return counted;
    const hiddenMs = Math.max(0, (this.#spokeAtMs ?? performance.now()) - hiddenSinceMs - HIDDEN_AFTER_MS);
    const thought = Math.ceil((hiddenMs / 1_000) * HIDDEN_TOKENS_PER_SECOND);
    // What is shown of the thinking is a summary: the larger of both is what was thought.
    const shown = estimateTokens(this.#thinkingBytes);
    return Math.max(counted, visible - shown + Math.max(shown, thought));
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

/** The total goes on counting where the split by lifetime is told only once: what is not of an hour is of five minutes. */
function cacheWrites(told: ToldUsage): Pick<TokenUsage, 'cacheWrite5mTokens' | 'cacheWrite1hTokens'> {
  const { cacheWriteTokens: total, cacheWrite1hTokens } = told;
  const short = total === undefined ? told.cacheWrite5mTokens : Math.max(0, total - (cacheWrite1hTokens ?? 0));
  return { cacheWrite5mTokens: short, cacheWrite1hTokens };
}

/** Bytes of an event that the model wrote; what a stream is bounded by. */
export function eventBytes(event: MessagesEvent): number {
  if (event.type === 'content_block_start') return blockBytes(event.content_block);
  return event.type === 'content_block_delta' ? deltaBytes(event.delta) : 0;
}

/** Bytes of an event that the model did not write: sources that it names, and what a search has found. */
export function extraBytes(event: MessagesEvent): number {
  if (event.type === 'content_block_start' && event.content_block.type === 'web_search_tool_result') {
    return jsonBytes(event.content_block);
  }
  return event.type === 'content_block_delta' && event.delta.type === 'citations_delta' ? jsonBytes(event.delta) : 0;
}

/** What stands in a block from its start: redacted thinking and results of server tools arrive whole. */
function blockBytes(block: Block): number {
  switch (block.type) {
    case 'text':
      return utf8Bytes(block['text']);
    case 'thinking':
      return utf8Bytes(block['thinking']);
    case 'redacted_thinking':
      return utf8Bytes(block['data']);
    case 'tool_use':
    case 'server_tool_use':
      return CALL_OVERHEAD_BYTES + utf8Bytes(block['name']) + jsonBytes(block['input']);
    // Written by the provider, not by the model.
    case 'web_search_tool_result':
      return 0;
    default:
      return CALL_OVERHEAD_BYTES + jsonBytes(block);
  }
}

function deltaBytes(delta: { type: string; [field: string]: unknown }): number {
  switch (delta.type) {
    case 'text_delta':
      return utf8Bytes(delta['text']);
    case 'thinking_delta':
      return utf8Bytes(delta['thinking']);
    case 'input_json_delta':
      return utf8Bytes(delta['partial_json']);
    case 'signature_delta':
    case 'citations_delta':
      return 0;
    default:
      return jsonBytes(delta);
  }
}

function utf8Bytes(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0;
}

/** An empty input says nothing: its arguments follow as deltas. */
function jsonBytes(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const json = JSON.stringify(value);
  return json === '{}' ? 0 : Buffer.byteLength(json);
}
