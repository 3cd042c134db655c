/**
 * One answer of a model that searches, as one message: when the model calls the search, it is made, what was found is shown
 * to the client and told to the model, and the model goes on. Each round is a request to the same provider, priced by
 * itself; nothing is asked, and nothing is searched, that no hold pays for.
 */

import { measurePrompt } from '../../admission/prompt-size.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessageDelta, MessagesEvent, StopReason } from '../../messages/types.ts';
import { UpstreamError } from '../../providers/upstream-http.ts';
import type { Attempt, Dispatched } from './dispatch.ts';
import { RoundEvents } from '../../search/round-events.ts';
import type { SearchCall } from '../../search/session.ts';
import { withFreeChoice } from '../../search/tool.ts';
import { searchCalls, withRound } from '../../search/turns.ts';
import type { AnswerContext } from './answer-context.ts';
import type { AnswerSearch } from './answer-search.ts';
import { withMessage, boundByBytes, quoteOfRound } from './attempts.ts';
import { fittingThinking } from './fitting-thinking.ts';
import type { Progress, RoundBatch } from './progress.ts';
import { Round } from './search-round.ts';

/** A model that goes on searching is asked to be asked again: its client decides whether it may. */
const MAX_ROUNDS = 10;
/** With less of the function's time left, no round is begun. */
const LEAST_ROUND_MS = 45_000;
/** Between what a provider counts of a prompt and of its beginning. */
const COUNT_MARGIN_TOKENS = 64;

/** The batches of all rounds, from one that has begun. */
export async function* searchRounds(
  context: AnswerContext & { search: AnswerSearch },
  progress: Progress,
  first: Dispatched,
): AsyncGenerator<RoundBatch, void> {
  const { search, abort } = context;
  const { session, isDeclared } = search;
  let attempt = search.attempts[first.index]!;
  const events = new RoundEvents(session, { isDeclared, mayCite: outputFormat(attempt.message) === undefined });
  const { max_tokens: mostTokens } = attempt.message;
  let { batches } = first;
  for (let round = 1; ; round += 1) {
    const answer = new Round(events, round === 1 ? search.opening : undefined);
    yield* answer.pass(batches, attempt.candidate.wire.countsPromptAtStart);
    const { said, ending } = answer;
    const calls = isDeclared ? callsToMake(said, ending) : [];
    if (calls.length === 0) {
      yield ended(ending);
      return;
    }
    const unpaid = await progress.holdSearches(session.allowed(calls.length));
    if (unpaid) {
      yield { events: [], stop: unpaid };
      return;
    }
    const results: Block[] = [];
    for await (const { shown, read } of session.make(calls, abort.signal)) {
      if (abort.signal.aborted) throw new UpstreamError('aborted', 'The request was given up while it searched');
      results.push(read);
      yield { events: events.whole(shown) };
    }
    const leftTokens = mostTokens === undefined ? undefined : mostTokens - writtenTokens(progress, attempt);
    const reason = reasonToStop(round, leftTokens, search.remainingMs());
    if (reason) {
      yield ended(endingWith(ending, reason));
      return;
    }
    const next = nextRound(attempt, { said, results, leftTokens }, search);
    const stop = await beginRound(progress, attempt, next);
    if (stop) {
      yield { events: [], stop };
      return;
    }
    attempt = next;
    ({ batches } = await search.ask(next, first.index));
  }
}

/** The searches that a round waits for: none where it has ended for another reason, or waits for its client as well. */
function callsToMake(said: readonly Block[], ending: MessageDelta): SearchCall[] {
  const isForClient = said.some(({ type }) => type === 'tool_use');
  return ending.delta.stop_reason === 'tool_use' && !isForClient ? searchCalls(said) : [];
}

/** Tokens that count against max_tokens. */
function writtenTokens({ usage }: Progress, { candidate }: Attempt): number {
  const { reasoning_beyond_max_tokens: isBeyond } = candidate.endpoint.quirks;
  return usage.outputTokens - (isBeyond ? (usage.reasoningTokens ?? 0) : 0);
}

/** Why the model is not asked again. */
function reasonToStop(
  round: number,
  leftTokens: number | undefined,
  remainingMs: number,
): Extract<StopReason, 'max_tokens' | 'pause_turn'> | undefined {
  if (leftTokens !== undefined && leftTokens < 1) return 'max_tokens';
  return round >= MAX_ROUNDS || remainingMs < LEAST_ROUND_MS ? 'pause_turn' : undefined;
}

function endingWith(ending: MessageDelta, reason: StopReason): MessageDelta {
  return { ...ending, delta: { ...ending.delta, stop_reason: reason, stop_sequence: null } };
}

function ended(ending: MessageDelta): RoundBatch {
  const stop: MessagesEvent = { type: 'message_stop' };
  return { events: [{ data: ending }, { data: stop }] };
}

interface RoundOver {
  said: readonly Block[];
  results: Block[];
  /** Undefined where the client has not said how much may be written. */
  leftTokens: number | undefined;
}

/** The request that goes on where a round has ended. */
function nextRound(
  attempt: Attempt,
  { said, results, leftTokens }: RoundOver,
  { session, client }: AnswerSearch,
): Attempt {
  const { message } = attempt;
  const asked = withFreeChoice({ ...message, messages: withRound(message.messages, said, results, session) });
  const shorter =
    leftTokens === undefined ? asked : { ...asked, max_tokens: leftTokens, ...fittingThinking(asked, leftTokens) };
  return withMessage(attempt, shorter, client);
}

/** Holds what the next round may come to: what the last one has read was counted, and only what was added is bounded. */
function beginRound(progress: Progress, before: Attempt, next: Attempt) {
  const content = measurePrompt(next.message);
  const [bound, boundBefore, counted] = [boundByBytes(next), boundByBytes(before), progress.countedPrompt];
  const isKnown = bound !== undefined && boundBefore !== undefined && counted !== undefined;
  const most = isKnown ? counted + Math.max(0, bound - boundBefore) + COUNT_MARGIN_TOKENS : Infinity;
  return progress.beginRound(quoteOfRound(next, content, most), content.estimatedTokens);
}
