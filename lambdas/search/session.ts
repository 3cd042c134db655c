import { DIRECT_CALLER, type SearchTool } from '../messages/search-tool.ts';
import type { Block } from '../messages/types.ts';
import type { SearchErrorCode, SearchHit, SearchOutcome, SearchQuery } from './backend.ts';
import { modelCallId, newSearchId } from './call-ids.ts';
import { failureText } from './history.ts';
import type { Seals } from './seals.ts';
import { MAX_RESULT_BYTES, readBytes, resultText, sourceText, type Sources } from './sources.ts';

export type SearchSettings = Pick<
  SearchTool,
  'max_uses' | 'max_results' | 'allowed_domains' | 'blocked_domains' | 'user_location'
>;

export interface SearchCall {
  /** Id of the call, as the client gets it. */
  id: string;
  /** Undefined if the model's arguments have no query. */
  query: string | undefined;
}

type ErrorCode = SearchErrorCode | 'max_uses_exceeded';

/** A result in two forms: for the client, and for the model. */
export interface SearchBlocks {
  /** Block of the type `web_search_tool_result`. */
  clientBlock: Block;
  /** Block of the type `tool_result`. */
  modelBlock: Block;
}

/** Maximum time in ms to wait for running queries after an answer was aborted. */
const SEARCH_PATIENCE_MS = 8_000;
/** Maximum number of searches by the model, even if the client allows more. */
const MAX_SEARCHES = 20;

/** Runs the searches of one answer, counts the charged searches, numbers their sources, and seals the results. */
export class SearchSession {
  /** Number of successful searches, which are charged even if they find nothing. */
  chargedCount = 0;
  /**
   * Number of results of searches before the model's answer. Only the model got them. Null if no search succeeded.
   */
  modelOnlyResults: number | null = null;
  readonly sources: Sources;
  readonly seals: Seals;
  readonly #maxUses: number;
  readonly #rules: Omit<SearchQuery, 'text'>;
  readonly #search: (query: SearchQuery, signal: AbortSignal) => Promise<SearchOutcome>;
  readonly #protect: (text: string) => string | undefined;
  #made = 0;

  /** @param options.protect returns a text as the model may get it; undefined if the model must not get it */
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

  /** Returns how many of these calls may still be made. */
  allowed(calls: number): number {
    return Math.min(calls, this.#maxUses - this.#made);
  }

  /**
   * Runs searches concurrently, and yields their results in the order of the calls. The client pays for every
   * successful query. If the consumer stops early, the method waits for running searches, up to eight seconds after an
   * abort, and charges them.
   */
  async *make(calls: readonly SearchCall[], signal: AbortSignal): AsyncGenerator<SearchBlocks, void> {
    const allowed = this.allowed(calls.length);
    this.#made += allowed;
    const work = patientSignal(signal);
    const outcomes = calls.map(({ query }, index) => this.#outcome(query, index < allowed, work));
    let yielded = 0;
    try {
      for (const [index, outcome] of outcomes.entries()) {
        const found = await outcome;
        yielded += 1;
        yield this.#searched(calls[index]!, found);
      }
    } finally {
      const left = await Promise.all(outcomes.slice(yielded));
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
   * Runs a search that the model did not request, and whose results the client does not see.
   * @returns the texts for the model; undefined if the search failed
   */
  async lookUp(query: SearchQuery, signal: AbortSignal): Promise<string[] | undefined> {
    const outcome = await this.#search(query, patientSignal(signal));
    if ('error' in outcome) return undefined;
    this.chargedCount += 1;
    const { texts } = this.#take({ id: newSearchId(), query: query.text }, outcome.hits);
    this.modelOnlyResults = (this.modelOnlyResults ?? 0) + texts.length;
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
          caller: DIRECT_CALLER,
          content: { type: 'web_search_tool_result_error', error_code },
        },
        modelBlock: { type: 'tool_result', tool_use_id, content: failureText(error_code), is_error: true },
      };
    }
    this.chargedCount += 1;
    const { shown, texts } = this.#take({ id, query }, outcome.hits);
    return {
      clientBlock: { type: 'web_search_tool_result', tool_use_id: id, caller: DIRECT_CALLER, content: shown },
      modelBlock: { type: 'tool_result', tool_use_id, content: resultText(texts) },
    };
  }

  /** Adds the hits that the model may get to the numbered sources, up to MAX_RESULT_BYTES of text. */
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

/**
 * Aborts some time after the given signal, because the backend charges a running query even if it is aborted. If the
 * given signal has already aborted, no query runs.
 */
function patientSignal(signal: AbortSignal): AbortSignal {
  const patient = new AbortController();
  const giveUp = () => void setTimeout(() => patient.abort(), SEARCH_PATIENCE_MS).unref();
  if (signal.aborted) patient.abort();
  else signal.addEventListener('abort', giveUp, { once: true });
  return patient.signal;
}
