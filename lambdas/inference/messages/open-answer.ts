import { clientHeaders } from '../../providers/client-headers.ts';
import { resources } from '../../resources.ts';
import { dispatch, type Attempt, type Dispatched } from './dispatch.ts';
import type { ProviderTime } from '../../platform/provider-time.ts';
import type { SharedHealth } from '../../routing/health.ts';
import { abortInTime, abortWhenLeft, abortWhenStopping } from '../abort.ts';
import type { AnswerContext } from './answer-context.ts';
import { passThrough } from './answer-stage.ts';
import { holdForRequest, preparationOf, type MessageInput } from './message-hold.ts';
import { onceRecorded } from './once-recorded.ts';
import { SearchStage } from './search/search-stage.ts';
import { routeMessage } from './routed-message.ts';
import { noteConversation } from './warm-conversation.ts';

/**
 * Begins the answer to a message: candidates, hold, dispatch. Its events, its charge and its settlement follow from
 * `answerEvents` of what is returned.
 * @throws {GatewayError} when the request goes nowhere, or is not admitted; nothing is held then
 */
export async function openAnswer(input: MessageInput): Promise<AnswerContext> {
  const { body, caller, request } = input;
  const routed = await routeMessage(body, caller, request.headers);
  const { message, content, candidates, conversation } = routed;
  // All that settlement needs is there before anything is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  const abort = new AbortController();
  abortWhenLeft(abort, input.clientLeft);
  const client = clientHeaders(request.headers);
  const prepare = preparationOf(routed, client);
  const { admitted, attempts } = await holdForRequest(input, candidates, prepare, abort.signal);
  abortInTime(abort, input.remainingMs());
  abortWhenStopping(abort, input.stopping);

  const { estimatedTokens: estimatedInputTokens } = content;
  const current: AnswerContext['current'] = {
    index: 0,
    sentAtMs: undefined,
    failed: [],
    failure: undefined,
  };
  const { providerTime } = input;
  const ask = asksInTurn(current, { estimatedInputTokens, signal: abort.signal, health, providerTime });
  const stage = routed.search
    ? new SearchStage(routed.search, {
        client,
        signal: abort.signal,
        ask: (attempt, index) => ask([attempt, attempt], () => index),
        remainingMs: input.remainingMs,
      })
    : passThrough;
  return {
    generationId: input.generationId,
    payer: caller.payer,
    table,
    queue,
    health,
    remember: async (candidate, outcome) => conversation && noteConversation(conversation, candidate, outcome),
    keeper: admitted.keeper,
    attempts: attempts.map(({ candidate }, index) => ({ candidate, quote: admitted.plan.quotes[index]! })),
    dispatched: onceRecorded(
      stage.prepare(attempts).then((prepared) => ask(prepared, (index) => index)),
      admitted,
      abort,
    ),
    isRecorded: admitted.recorded
      ? admitted.recorded.then(
          () => true,
          () => false,
        )
      : Promise.resolve(true),
    current,
    estimatedInputTokens,
    providerTime,
    receivedAtMs: request.receivedAtMs,
    requestId: request.id,
    streamed: message.stream === true,
    shortened: admitted.shortened,
    originals: routed.originals,
    stage,
    abort,
  };
}

/** @param placeOf which of the request's attempts each of these is */
type AskInTurn = (some: Attempt[], placeOf: (index: number) => number) => Promise<Dispatched>;

/** Asks attempts in turn, and keeps `current` true while they run. */
function asksInTurn(
  current: AnswerContext['current'],
  {
    health,
    providerTime,
    ...rest
  }: { estimatedInputTokens: number; signal: AbortSignal; health: SharedHealth; providerTime: ProviderTime },
): AskInTurn {
  return (some, placeOf) =>
    dispatch(some, {
      ...rest,
      health,
      onAttempt: (index) => Object.assign(current, { index: placeOf(index), sentAtMs: undefined, failure: undefined }),
      onFailure: (failed) => {
        current.failure = { ...failed, index: placeOf(failed.index) };
        current.failed.push(current.failure);
      },
      // A large request may be refused before its last byte was sent.
      onSent: (index) => {
        providerTime.sent();
        if (current.index === placeOf(index)) current.sentAtMs = performance.now();
      },
    }).finally(() => providerTime.received());
}
