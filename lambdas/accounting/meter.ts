import type { MessagesEvent, WireUsage } from '../messages/types.ts';
import { estimateTokens, type TokenUsage } from './usage.ts';

/**
 * Measures an answer while it passes: what the provider says of its usage, and what can be counted where it says
 * nothing. Providers say it in the first event, in the last, or in both: the largest value of each field counts, never
 * the sum.
 */
export class UsageMeter {
  /** performance.now() of the first event. */
  firstEventAtMs: number | undefined;
  /** UTF-8 bytes of everything the model wrote. A token has at least one byte, so this bounds its visible tokens. */
  outputBytes = 0;
  finishReason: string | null = null;
  /** The provider told the usage of the whole answer. */
  complete = false;
  searchResults: number | null = null;
  #told: WireUsage = {};
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
        if (this.#promptCountedAtStart) this.#tell(event.message.usage);
        break;
      case 'content_block_start':
        this.#observeBlock(event.content_block);
        break;
      case 'content_block_delta':
        this.outputBytes += deltaBytes(event.delta);
        break;
      case 'message_delta':
        this.#tell(event.usage);
        this.complete = typeof event.usage?.output_tokens === 'number';
        // The first event counts a token ahead; what the last one says is the whole.
        if (this.complete) this.#told.output_tokens = sumIterations(event.usage).output_tokens ?? 0;
        this.finishReason = event.delta.stop_reason;
        break;
    }
  }

  /** The provider has counted the prompt. Some begin with zeros and tell the numbers at the end, or never. */
  get knowsPrompt(): boolean {
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = this.#told;
    return (input_tokens ?? 0) + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) > 0;
  }

  get hasOutput(): boolean {
    return this.outputBytes > 0;
  }

  /** The usage so far; estimated where the provider did not tell, or has not told yet. */
  usage(): { usage: TokenUsage; estimated: boolean } {
    const told = this.#told;
    const counted = estimateTokens(this.outputBytes);
    const toldOutput = wholeCount(told.output_tokens) ?? 0;
    const outputTokens = this.complete ? toldOutput : Math.max(counted, toldOutput);
    const reasoningTokens = wholeCount(told.output_tokens_details?.thinking_tokens);
    return {
      usage: {
        inputTokens: this.knowsPrompt ? (wholeCount(told.input_tokens) ?? 0) : this.#estimatedInputTokens,
        outputTokens,
        cacheReadTokens: wholeCount(told.cache_read_input_tokens),
        cacheWrite5mTokens: wholeCount(shortCacheWrites(told)),
        cacheWrite1hTokens: wholeCount(told.cache_creation?.ephemeral_1h_input_tokens),
        // A part cannot be more than the whole, or the rest would have a negative price.
        reasoningTokens: reasoningTokens === undefined ? undefined : Math.min(reasoningTokens, outputTokens),
        searchRequests: wholeCount(told.server_tool_use?.web_search_requests),
      },
      estimated: !this.complete || !this.knowsPrompt,
    };
  }

  #observeBlock(block: { type: string; [field: string]: unknown }): void {
    // Redacted thinking and results of server tools arrive whole.
    if (block.type === 'redacted_thinking') this.outputBytes += utf8Bytes(block['data']);
    if (block.type === 'text') this.outputBytes += utf8Bytes(block['text']);
    if (block.type === 'web_search_tool_result' && Array.isArray(block['content'])) {
      this.searchResults = (this.searchResults ?? 0) + block['content'].length;
    }
  }

  #tell(usage: WireUsage | undefined): void {
    if (!usage) return;
    const summed = sumIterations(usage);
    const told = this.#told;
    for (const [field, value] of Object.entries(summed)) {
      if (value === null || value === undefined) continue;
      const known = told[field];
      if (typeof value === 'number' && typeof known === 'number') told[field] = Math.max(known, value);
      else told[field] = value;
    }
  }
}

/** Providers' numbers are not ours to trust: what is no whole number of tokens is rounded up, and never below zero. */
function wholeCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.ceil(value)));
}

/** The total goes on counting where the split by lifetime is told only once: what is not of an hour is of five minutes. */
function shortCacheWrites({
  cache_creation_input_tokens: total,
  cache_creation: split,
}: WireUsage): number | undefined {
  if (typeof total === 'number') return Math.max(0, total - (split?.ephemeral_1h_input_tokens ?? 0));
  return split?.ephemeral_5m_input_tokens ?? undefined;
}

/** When the upstream compacted the conversation on the way, only the sum of its iterations is the whole usage. */
function sumIterations(usage: WireUsage): WireUsage {
  const iterations = usage.iterations;
  if (!iterations || iterations.length < 2) return usage;
  const sum = (field: keyof WireUsage) =>
    iterations.reduce((total, iteration) => total + (Number(iteration[field]) || 0), 0);
  return {
    ...usage,
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cache_read_input_tokens: sum('cache_read_input_tokens'),
    cache_creation_input_tokens: sum('cache_creation_input_tokens'),
  };
}

function deltaBytes(delta: { type: string; [field: string]: unknown }): number {
  switch (delta.type) {
    case 'text_delta':
      return utf8Bytes(delta['text']);
    case 'thinking_delta':
      return utf8Bytes(delta['thinking']);
    case 'input_json_delta':
      return utf8Bytes(delta['partial_json']);
    default:
      return 0;
  }
}

function utf8Bytes(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0;
}
