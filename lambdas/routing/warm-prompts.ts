import { BoundedMap } from '../platform/bounded-map.ts';
import { describeError, log } from '../platform/logger.ts';
import type { WarmPrompt } from './warm-prompt.ts';

/** Where all instances keep what they know. */
export interface WarmPromptStore {
  read(conversation: string): Promise<WarmPrompt | undefined>;
  write(conversation: string, prompt: WarmPrompt): Promise<void>;
}

/** More conversations than one instance has within an hour. */
const MAX_CONVERSATIONS = 4_096;

/** While a conversation goes on at the same endpoint, the others are told no more often. */
const WRITE_EVERY_MS = 60_000;

interface Known extends WarmPrompt {
  writtenAtMs: number;
}

/**
 * Where conversations are warm, as this instance and the others have noted: in memory first, so that an instance that has seen the
 * last turn asks nobody.
 *
 * Guarantee: neither method rejects, and memory is bounded.
 * Weakness: an instance that has seen an earlier turn does not learn that a later one went elsewhere; the conversation
 * then returns to a cache that is one turn older.
 */
export class WarmPrompts {
  readonly #store: WarmPromptStore;
  readonly #nowMs: () => number;
  /** The conversation that was heard of least lately comes first. */
  readonly #known = new BoundedMap<string, Known>(MAX_CONVERSATIONS);
  #isFailing = false;

  constructor(store: WarmPromptStore, nowMs: () => number) {
    this.#store = store;
    this.#nowMs = nowMs;
  }

  /** @param conversation a hash that names it */
  async find(conversation: string): Promise<WarmPrompt | undefined> {
    const known = this.#known.get(conversation) ?? (await this.#reported(() => this.#store.read(conversation)));
    return known && known.untilMs > this.#nowMs() ? known : undefined;
  }

  /** Notes where the latest turn has left its prompt. */
  async note(conversation: string, prompt: WarmPrompt): Promise<void> {
    const atMs = this.#nowMs();
    const before = this.#known.get(conversation);
    const noted = before && before.untilMs > atMs ? together(before, prompt) : prompt;
    const isNews = before?.endpointId !== prompt.endpointId || atMs - before.writtenAtMs >= WRITE_EVERY_MS;
    this.#known.set(conversation, { ...noted, writtenAtMs: isNews ? atMs : before.writtenAtMs });
    if (isNews) await this.#reported(() => this.#store.write(conversation, noted));
  }

  /** The log says once that the store is away, not with every request. */
  async #reported<Value>(call: () => Promise<Value>): Promise<Value | undefined> {
    try {
      const value = await call();
      this.#isFailing = false;
      return value;
    } catch (error) {
      if (!this.#isFailing) log('warn', 'warm prompts neither read nor written', describeError(error));
      this.#isFailing = true;
      return undefined;
    }
  }
}

/** Helpers of an agent have shorter prompts in the same session, and leave the cache of the longest as warm as it was. */
function together(before: WarmPrompt, latest: WarmPrompt): WarmPrompt {
  if (before.endpointId !== latest.endpointId) return latest;
  const tokens = Math.max(before.tokens, latest.tokens);
  return { ...latest, tokens, untilMs: Math.max(before.untilMs, latest.untilMs) };
}
