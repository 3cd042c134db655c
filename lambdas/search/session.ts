import type { SearchTool } from '../messages/search-tool.ts';
import type { Block } from '../messages/types.ts';
import type { SearchErrorCode, SearchHit, SearchOutcome, SearchQuery } from './backend.ts';
import { modelCallId, newSearchId } from './call-ids.ts';
import { failureText } from './history.ts';
import type { Seals } from './seals.ts';
import { MAX_RESULT_BYTES, readBytes, resultText, sourceText, type Sources } from './sources.ts';

/** How the searches of a request are made. */
export type SearchSettings = Pick<
  SearchTool,
  'max_uses' | 'max_results' | 'allowed_domains' | 'blocked_domains' | 'user_location'
>;

/** A search that the model asks for. */
export interface SearchCall {
  /** The client's id of it. */
  id: string;
  /** Undefined where the model's arguments have none. */
  query: string | undefined;
}

type ErrorCode = SearchErrorCode | 'max_uses_exceeded';

/** A search that is over: what the client gets of it, and what the model. */
export interface SearchBlocks {
  /** `web_search_tool_result`. */
  clientBlock: Block;
  /** `tool_result`. */
  modelBlock: Block;
}

/** How long the queries of an answer that was given up are waited for: less than a function has left by then. */
const SEARCH_PATIENCE_MS = 8_000;
/** No turn makes more, whatever its client allows. */
const MAX_SEARCHES = 20;

/** The searches of one answer: counted, made, numbered, and sealed. */
export class SearchSession {
  /** Searches that found an answer, even an empty one. Each is charged; one that failed is not. */
  chargedCount = 0;
  /** The number of results that the model saw and the client did not; null where no search ran unseen. */
  unseenResults: number | null = null;
  readonly sources: Sources;
  readonly seals: Seals;
  readonly #maxUses: number;
  readonly #rules: Omit<SearchQuery, 'text'>;
  readonly #search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchOutcome>;
  readonly #protect: (text: string) => string | undefined;
  #made = 0;

  /**
   * @param options.search - asks the backends
   * @param options.protect - a text as the model may read it; undefined where it may not
   */
  constructor(options: {
    settings: SearchSettings;
    maxResults: number;
    search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchOutcome>;
    protect: (text: string) => string | undefined;
    sources: Sources;
    seals: Seals;
  }) {
    const { settings, maxResults, search } = options;
    this.sources = options.sources;
    this.seals = options.seals;
    this.#protect = options.protect;
    this.#maxUses = Math.min(settings.max_uses ?? MAX_SEARCHES, MAX_SEARCHES);
    this.#search = search;
    this.#rules = {
      maxResults: Math.min(settings.max_results ?? maxResults, maxResults),
      allowedDomains: settings.allowed_domains ?? [],
      blockedDomains: settings.blocked_domains ?? [],
      location: settings.user_location ?? undefined,
    };
  }

  /** How many of so many calls will be searches: the others are beyond what the client allows. */
  allowed(calls: number): number {
    return Math.min(calls, this.#maxUses - this.#made);
  }

  /**
   * Makes searches side by side; their results come in the order of the calls. What was asked of a backend is paid for by
   * who asked: whoever takes no more results still waits for those that are under way, eight seconds at most, and they are
   * charged if they found an answer.
   */
  async *make(calls: readonly SearchCall[], signal: AbortSignal): AsyncGenerator<SearchBlocks, void> {
    const allowed = this.allowed(calls.length);
    this.#made += allowed;
    const work = patientSignal(signal);
    const outcomes = calls.map(({ query }, index) => this.#outcome(query, index < allowed, work));
    let taken = 0;
    try {
      for (const [index, outcome] of outcomes.entries()) {
        const found = await outcome;
        taken += 1;
        yield this.#searched(calls[index]!, found);
      }
    } finally {
      const left = await Promise.all(outcomes.slice(taken));
      this.chargedCount += left.filter((outcome) => 'hits' in outcome).length;
    }
  }

  async #outcome(
    query: string | undefined,
    isAllowed: boolean,
    signal: AbortSignal,
  ): Promise<{ hits: SearchHit[] } | { error: ErrorCode }> {
    if (!isAllowed) return { error: 'max_uses_exceeded' };
    if (query === undefined) return { error: 'invalid_tool_input' };
    return this.#search({ ...this.#rules, text: query }, signal);
  }

  /**
   * Makes a search that the model has not asked for, and that the client does not see.
   * @returns what the model is to read; undefined where it failed
   */
  async lookUp(query: SearchQuery, signal: AbortSignal): Promise<string[] | undefined> {
    const outcome = await this.#search(query, patientSignal(signal));
    if ('error' in outcome) return undefined;
    this.chargedCount += 1;
    const { texts } = this.#take({ id: newSearchId(), query: query.text }, outcome.hits);
    this.unseenResults = (this.unseenResults ?? 0) + texts.length;
    return texts;
  }

  #searched({ id, query = '' }: SearchCall, outcome: { hits: SearchHit[] } | { error: ErrorCode }): SearchBlocks {
    const tool_use_id = modelCallId(id);
    if ('error' in outcome) {
      const { error: error_code } = outcome;
      return {
        clientBlock: {
          type: 'web_search_tool_result',
          tool_use_id: id,
          content: { type: 'web_search_tool_result_error', error_code },
        },
        modelBlock: { type: 'tool_result', tool_use_id, content: failureText(error_code), is_error: true },
      };
    }
    this.chargedCount += 1;
    const { shown, texts } = this.#take({ id, query }, outcome.hits);
    return {
      clientBlock: { type: 'web_search_tool_result', tool_use_id: id, content: shown },
      modelBlock: { type: 'tool_result', tool_use_id, content: resultText(texts) },
    };
  }

  /** Numbers what was found, as far as the model may read it. */
  #take(
    { id: call, query }: { id: string; query: string },
    hits: readonly SearchHit[],
  ): { shown: Block[]; texts: string[] } {
    const shown: Block[] = [];
    const texts: string[] = [];
    let left = MAX_RESULT_BYTES;
    for (const hit of hits) {
      const text = this.#protect(sourceText(this.sources.count + 1, hit));
      const bytes = text === undefined ? Infinity : readBytes(text) + 2;
      if (bytes > left) continue;
      left -= bytes;
      this.sources.add({ ...hit, call, result: shown.length });
      texts.push(text!);
      shown.push({
        type: 'web_search_result',
        title: hit.title,
        url: hit.url,
        encrypted_content: this.seals.sealHit({ ...hit, query }),
        page_age: hit.age,
      });
    }
    return { shown, texts };
  }
}

/** Aborts a while after the other: an answer that comes soon is had for the money that its query costs. */
function patientSignal(signal: AbortSignal): AbortSignal {
  const patient = new AbortController();
  const giveUp = () => void setTimeout(() => patient.abort(), SEARCH_PATIENCE_MS).unref();
  if (signal.aborted) patient.abort();
  else signal.addEventListener('abort', giveUp, { once: true });
  return patient.signal;
}
