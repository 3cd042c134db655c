import { BoundedMap } from '../platform/bounded-map.ts';
import { describeError, log } from '../platform/logger.ts';
import type { WarmPrompt } from './warm-prompt.ts';

export interface WarmPromptStore {
  read(conversation: string): Promise<WarmPrompt | undefined>;
  write(conversation: string, prompt: WarmPrompt): Promise<void>;
}

const MAX_CONVERSATIONS = 4_096;

/** Minimum interval in ms between writes of a conversation at the same endpoint. */
const WRITE_EVERY_MS = 60_000;

interface Known extends WarmPrompt {
  writtenAtMs: number;
}

/**
 * Endpoints that have cached the prompts of conversations. Until the cache of a conversation expires, an instance uses
 * its memory of the conversation, and does not read the store.
 *
 * Guarantee: neither method rejects, and memory is bounded. Weakness: until the cache expires, the instance does not
 * notice later turns at other instances, and may return to the endpoint whose cache is older.
 */
export class WarmPrompts {
  readonly #store: WarmPromptStore;
  readonly #nowMs: () => number;
  /** Cached prompts by conversation. The least recently noted conversations come first. */
  readonly #known = new BoundedMap<string, Known>(MAX_CONVERSATIONS);
  #isFailing = false;

  constructor(store: WarmPromptStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /**
   * Returns the cached prompt of a conversation; undefined if it is unknown or has expired.
   * @param conversation hash that identifies the conversation
   */
  async find(conversation: string): Promise<WarmPrompt | undefined> {
    const known = this.#known.get(conversation);
    if (known && known.untilMs > this.#nowMs()) return known;
    // The store is read, because another instance may have sent later turns.
    const stored = await this.#reported(() => this.#store.read(conversation));
    return stored && stored.untilMs > this.#nowMs() ? stored : undefined;
  }

  async note(conversation: string, prompt: WarmPrompt): Promise<void> {
    const atMs = this.#nowMs();
    const before = this.#known.get(conversation);
    const noted = before && before.untilMs > atMs ? together(before, prompt) : prompt;
    const isNews = before?.endpointId !== prompt.endpointId || atMs - before.writtenAtMs >= WRITE_EVERY_MS;
    this.#known.set(conversation, { ...noted, writtenAtMs: isNews ? atMs : before.writtenAtMs });
    if (isNews) await this.#reported(() => this.#store.write(conversation, noted));
  }

  /** Logs the first failure, and then none until the store works again. */
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
 * Merges two cached prompts of a conversation. Subagents send shorter prompts in the same session, which must not
 * reduce the longest cached prompt of an endpoint.
 */
function together(before: WarmPrompt, latest: WarmPrompt): WarmPrompt {
  if (before.endpointId !== latest.endpointId) return latest;
  const tokens = Math.max(before.tokens, latest.tokens);
  return { ...latest, tokens, untilMs: Math.max(before.untilMs, latest.untilMs) };
}
