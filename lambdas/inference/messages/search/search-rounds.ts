/**
 * Makes one message from several requests to the provider (rounds), between which the gateway runs the model's
 * searches. The gateway first holds the price of a search, and the maximum cost of a round's prompt and first output.
 */

import { measurePrompt } from '../../../admission/prompt/prompt-size.ts';
import { messagesFactsOf } from '../../../catalog/wires.ts';
import { expectsJson } from '../../../messages/output-format.ts';
import type { Block, MessageDelta, MessagesEvent, StopReason } from '../../../messages/types.ts';
import { Money } from '../../../money/money.ts';
import { UpstreamError } from '../../../providers/http/upstream-error.ts';
import type { ClientHeaders } from '../../../providers/wire.ts';
import type { Attempt, Dispatched } from '../dispatch.ts';
import { RoundEvents } from '../../../search/round-events.ts';
import type { SearchCall, SearchSession } from '../../../search/session.ts';
import { withFreeChoice } from '../../../search/tool.ts';
import { searchCalls, withRound } from '../../../search/turns.ts';
import type { RoundBatch, StagedAnswer } from '../answer-stage.ts';
import type { Stop } from '../early-end.ts';
import { withMessage, boundByBytes, quoteOfRound } from '../attempts.ts';
import { fittingThinking } from '../../../messages/fitting-thinking.ts';
import { SearchRound } from './search-round.ts';

/** If the model also searches in the last of these requests (rounds), the answer ends with `pause_turn`. */
export const MAX_SEARCH_ROUNDS = 10;
/** Minimum remaining time in ms to start another round. */
const MIN_ROUND_MS = 45_000;
/** Margin in tokens, because the provider's count of the same text may differ in a longer prompt. */
const ROUND_MARGIN_TOKENS = 64;

export interface AnswerSearches {
  session: SearchSession;
  isDeclared: boolean;
  firstBlocks: readonly Block[];
  client: ClientHeaders;
  signal: AbortSignal;
  /** Sends the next request to the first attempt that answers. */
  ask: (attempts: Attempt[]) => Promise<Dispatched>;
  remainingMs: () => number;
}

/**
 * Yields the batches of an answer with searches.
 * @param first the first round, which has already begun
 */
export async function* searchRounds(
  search: AnswerSearches,
  answer: StagedAnswer,
  first: Pick<Dispatched, 'batches'> & { attempt: Attempt },
): AsyncGenerator<RoundBatch, void> {
  const { session, isDeclared, signal } = search;
  let { attempt, batches } = first;
  const { web_search: price = Money.zero } = attempt.candidate.pricing;
  const events = new RoundEvents(session, { isDeclared, mayCite: !expectsJson(attempt.message) });
  const { max_tokens: maxTokens } = attempt.message;
  for (let round = 1; ; round += 1) {
    const current = new SearchRound(events, round === 1 ? search.firstBlocks : undefined);
    yield* current.pass(batches, messagesFactsOf(attempt.candidate.endpoint.wire).countsPromptAtStart);
    const { modelBlocks, ending } = current;
    const calls = isDeclared ? callsToMake(modelBlocks, ending) : [];
    if (calls.length === 0) {
      yield ended(ending);
      return;
    }
    const unpaid = await answer.holdMore(price.times(session.allowed(calls.length)));
    if (unpaid) {
      yield { events: [], stop: unpaid };
      return;
    }
    const results: Block[] = [];
    for await (const { clientBlock, modelBlock } of session.make(calls, signal)) {
      if (signal.aborted) throw new UpstreamError('aborted', 'The request was cancelled during a search');
      results.push(modelBlock);
      yield { events: events.whole(clientBlock) };
    }
    const leftTokens = maxTokens === undefined ? undefined : maxTokens - writtenTokens(answer, attempt);
    const reason = reasonToStop(round, leftTokens, search.remainingMs());
    if (reason) {
      yield ended(endingWith(ending, reason));
      return;
    }
    const next = nextAttempt(attempt, { modelBlocks, results, leftTokens }, search);
    const begun = await beginRound(answer, attempt, next);
    if ('stop' in begun) {
      yield { events: [], stop: begun.stop };
      return;
    }
    ({ attempt } = begun);
    // Passes the attempt twice, so that the same endpoint gets a request that failed before its first event once more.
    ({ batches } = await search.ask([attempt, attempt]));
  }
}

/** Returns the search calls for which the model waits; none if it also waits for the client's tools. */
function callsToMake(modelBlocks: readonly Block[], ending: MessageDelta): SearchCall[] {
  const isForClient = modelBlocks.some(({ type }) => type === 'tool_use');
  return ending.delta.stop_reason === 'tool_use' && !isForClient ? searchCalls(modelBlocks) : [];
}

/** Returns the output tokens of the answer so far that count against max_tokens. */
function writtenTokens({ usage }: StagedAnswer, { candidate }: Attempt): number {
  const { reasoning_beyond_max_tokens: isBeyond } = candidate.endpoint.quirks;
  return usage.outputTokens - (isBeyond ? (usage.reasoningTokens ?? 0) : 0);
}

/** Stop reason for the client if no further round may start. */
function reasonToStop(
  round: number,
  leftTokens: number | undefined,
  remainingMs: number,
): Extract<StopReason, 'max_tokens' | 'pause_turn'> | undefined {
  if (leftTokens !== undefined && leftTokens < 1) return 'max_tokens';
  return round >= MAX_SEARCH_ROUNDS || remainingMs < MIN_ROUND_MS ? 'pause_turn' : undefined;
}

function endingWith(ending: MessageDelta, reason: StopReason): MessageDelta {
  return { ...ending, delta: { ...ending.delta, stop_reason: reason, stop_sequence: null } };
}

function ended(ending: MessageDelta): RoundBatch {
  const stop: MessagesEvent = { type: 'message_stop' };
  return { events: [{ data: ending }, { data: stop }] };
}

interface FinishedRound {
  modelBlocks: readonly Block[];
  results: Block[];
  /** Remaining output tokens; undefined if the client has not limited the output. */
  leftTokens: number | undefined;
}

function nextAttempt(
  attempt: Attempt,
  { modelBlocks, results, leftTokens }: FinishedRound,
  { session, client }: AnswerSearches,
): Attempt {
  const { message } = attempt;
  const requested = withFreeChoice({
    ...message,
    messages: withRound(message.messages, modelBlocks, results, session),
  });
  const shorter =
    leftTokens === undefined
      ? requested
      : { ...requested, max_tokens: leftTokens, ...fittingThinking(requested, leftTokens) };
  return withMessage(attempt, shorter, client);
}

/**
 * Holds the maximum cost of the next round's prompt and first output. A count of the previous prompt bounds the new
 * one, with one token for each new byte and a margin.
 * @returns the attempt with its quote, or the reason why the answer must end instead
 */
async function beginRound(
  answer: StagedAnswer,
  before: Attempt,
  next: Attempt,
): Promise<{ attempt: Attempt } | { stop: Stop }> {
  const content = measurePrompt(next.message);
  const [bound, boundBefore, counted] = [boundByBytes(next), boundByBytes(before), answer.countedPrompt];
  const isKnown = bound !== undefined && boundBefore !== undefined && counted !== undefined;
  const most = isKnown ? counted + Math.max(0, bound - boundBefore) + ROUND_MARGIN_TOKENS : Infinity;
  const quote = quoteOfRound(next, content, most);
  const stop = await answer.beginRound(quote, content.estimatedTokens);
  return stop ? { stop } : { attempt: { ...next, quote } };
}
