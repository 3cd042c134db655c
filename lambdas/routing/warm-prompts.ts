import { BoundedMap } from '../platform/bounded-map.ts';
import { describeError, log } from '../platform/logger.ts';
import type { WarmPrompt } from './warm-prompt.ts';

/** Store of cached prompts that all instances share. */
export interface WarmPromptStore {
  read(conversation: string): Promise<WarmPrompt | undefined>;
  write(conversation: string, prompt: WarmPrompt): Promise<void>;
}

/** Maximum number of conversations in memory. */
const MAX_CONVERSATIONS = 4_096;

/** Minimum interval in ms between writes of a conversation that stays at the same endpoint. */
const WRITE_EVERY_MS = 60_000;

interface Known extends WarmPrompt {
  writtenAtMs: number;
}

/**
 * Endpoints that have cached the prompts of conversations, as observed by this instance and by all others. An instance
 * that has seen a turn of the conversation uses its memory until that cache expires, and does not read the store.
 *
 * Guarantee: neither method rejects, and memory is bounded.
 * Weakness: until the cache expires, the instance does not notice later turns that other instances have sent. If a
 * later turn went to another endpoint, the conversation then returns to the endpoint whose cache is older.
 */
export class WarmPrompts {
  readonly #store: WarmPromptStore;
  readonly #nowMs: () => number;
  /** Conversations in memory, the least recently noted first. */
  readonly #known = new BoundedMap<string, Known>(MAX_CONVERSATIONS);
  #isFailing = false;

  constructor(store: WarmPromptStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /**
   * Returns the cached prompt of a conversation; undefined if unknown or expired.
   * @param conversation hash that identifies the conversation
   */
  async find(conversation: string): Promise<WarmPrompt | undefined> {
    const known = this.#known.get(conversation);
    if (known && known.untilMs > this.#nowMs()) return known;
    // The cache that this instance knows has expired, but another instance may have sent later turns.
    const stored = await this.#reported(() => this.#store.read(conversation));
    return stored && stored.untilMs > this.#nowMs() ? stored : undefined;
  }

  /** Stores which endpoint has the prompt cached after the latest turn. */
  async note(conversation: string, prompt: WarmPrompt): Promise<void> {
    const atMs = this.#nowMs();
    const before = this.#known.get(conversation);
    const noted = before && before.untilMs > atMs ? together(before, prompt) : prompt;
    const isNews = before?.endpointId !== prompt.endpointId || atMs - before.writtenAtMs >= WRITE_EVERY_MS;
    this.#known.set(conversation, { ...noted, writtenAtMs: isNews ? atMs : before.writtenAtMs });
    if (isNews) await this.#reported(() => this.#store.write(conversation, noted));
  }

  /** Logs the first failure of the store, and then none until the store works again. */
  async #reported<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await call();
      this.#isFailing = false;
      return value;
    } catch (error) {
      if (!this.#isFailing) log('warn', 'warm prompts not read or written', describeError(error));
      this.#isFailing = true;
      return undefined;
    }
  }
}

/**
 * Merges two cached prompts at the same endpoint. Subagents send shorter prompts in the same session, which must not
 * reduce the length of the longest cached prompt.
 */
function together(before: WarmPrompt, latest: WarmPrompt): WarmPrompt {
  if (before.endpointId !== latest.endpointId) return latest;
  const tokens = Math.max(before.tokens, latest.tokens);
  return { ...latest, tokens, untilMs: Math.max(before.untilMs, latest.untilMs) };
}
