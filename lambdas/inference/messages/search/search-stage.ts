import { withSearches, type Charged } from '../../../accounting/charge.ts';
import type { TokenUsage } from '../../../accounting/usage.ts';
import type { Quote } from '../../../admission/spending-plan.ts';
import type { Block, MessagesRequest, WireUsage } from '../../../messages/types.ts';
import { Money } from '../../../money/money.ts';
import { withSearchResults } from '../../../search/injected.ts';
import { withResults } from '../../../search/turns.ts';
import type { Outcome } from '../../../store/generations/outcome.ts';
import type { AnswerStage, RoundBatch, StagedAnswer } from '../answer-stage.ts';
import { withMessage } from '../attempts.ts';
import type { Attempt, Dispatched } from '../dispatch.ts';
import type { RequestSearch } from './open-search.ts';
import { searchRounds, type AnswerSearches } from './search-rounds.ts';

type SearchTools = Pick<AnswerSearches, 'client' | 'signal' | 'ask' | 'remainingMs'>;

/**
 * Runs the web searches of an answer: searches before the model's first response, and searches that the model calls.
 */
export class SearchStage implements AnswerStage {
  readonly #search: RequestSearch;
  readonly #tools: SearchTools;
  /** Results of search calls that an earlier answer left open. */
  #firstBlocks: Block[] = [];
  #attempts: Attempt[] = [];

  constructor(search: RequestSearch, tools: SearchTools) {
    this.#search = search;
    this.#tools = tools;
  }

  async prepare(attempts: Attempt[]): Promise<Attempt[]> {
    const { first, pending } = this.#search;
    this.#attempts = attempts;
    if (first.searchesFirst + pending.length === 0) return attempts;
    // Discards unused connections, because a provider may close them while the searches run.
    for (const { upstream } of attempts) upstream?.discard();
    const extended = await this.#searchFirst();
    this.#attempts = attempts.map((attempt) => withMessage(attempt, extended(attempt.message), this.#tools.client));
    return this.#attempts;
  }

  batches(first: Dispatched, answer: StagedAnswer): AsyncGenerator<RoundBatch, void> {
    const { session, isDeclared } = this.#search;
    const begun = { batches: first.batches, attempt: this.#attempts[first.index]! };
    return searchRounds({ session, isDeclared, firstBlocks: this.#firstBlocks, ...this.#tools }, answer, begun);
  }

  spent({ pricing: { web_search: price = Money.zero } }: Quote): Money {
    return price.times(this.#search.session.chargedCount);
  }

  withPurchases(tokens: Charged, { pricing: { web_search: price = Money.zero } }: Quote): Charged {
    return withSearches(tokens, { count: this.#search.session.chargedCount, price });
  }

  shownUsage({ searchRequests = 0 }: TokenUsage): WireUsage {
    return { server_tool_use: { web_search_requests: searchRequests, web_fetch_requests: 0 } };
  }

  /** Adds the number of results that the model got and the client did not. */
  withResults(outcome: Outcome): Outcome {
    const { modelOnlyResults } = this.#search.session;
    if (modelOnlyResults === null) return outcome;
    return { ...outcome, searchResults: modelOnlyResults + (outcome.searchResults ?? 0) };
  }

  /**
   * Runs the searches before the model's first response.
   * @returns a function that adds the results to a Messages request
   */
  async #searchFirst(): Promise<(message: MessagesRequest) => MessagesRequest> {
    const { session, pending, question } = this.#search;
    const { signal } = this.#tools;
    const results: Block[] = [];
    for await (const { clientBlock, modelBlock } of session.make(pending, signal)) {
      this.#firstBlocks.push(clientBlock);
      results.push(modelBlock);
    }
    const found = question && (await session.lookUp(question.query, signal));
    return (message) => {
      const answered = results.length > 0 ? withResults(message, results) : message;
      return found ? withSearchResults(answered, found, question.prompt) : answered;
    };
  }
}
