import { resources } from '../../resources.ts';
import { dispatch, type Attempt } from './dispatch.ts';
import { AttemptLog } from '../attempt-log.ts';
import type { RoutedRequest } from '../../messages/preferences.ts';
import type { InferenceInput } from '../inference-input.ts';
import { abortInTime, abortWhenLeft, abortWhenStopping } from '../abort.ts';
import { SettlementSender } from '../settlement-sender.ts';
import type { AnswerContext } from './answer-context.ts';
import { passThrough } from './answer-stage.ts';
import { holdForRequest, messageTerms } from './message-hold.ts';
import { prepareAttempts } from './attempts.ts';
import { refuseEarly } from '../refuse-early.ts';
import { onceRecorded } from './once-recorded.ts';
import { SearchStage } from './search/search-stage.ts';
import { parseMessage, routeMessage, type RoutedMessage } from './routed-message.ts';

/**
 * Begins the answer to a message.
 * @param leftOutNames converts names of unsent fields to the client's names
 * @throws {GatewayError} if no provider can serve the request, or it is not admitted; a placed hold is released, at the
 *   latest by the sweep
 */
export async function openAnswer(
  input: InferenceInput<RoutedRequest>,
  leftOutNames: (unsent: readonly string[]) => string[],
): Promise<AnswerContext> {
  const { caller, generationId, request } = input;
  const routed = await routeOrRefuse(input);
  // Opens the resources for settlement first: if one cannot be opened, the request must fail before money is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  const abort = new AbortController();
  abortWhenLeft(abort, input.clientLeft);
  const { admitted, attempts } = await holdForRequest(input, routed, abort.signal);
  abortInTime(abort, input.remainingMs());
  abortWhenStopping(abort, input.stopping);

  const { message, client, content, search } = routed;
  const { estimatedTokens: estimatedInputTokens } = content;
  const attemptLog = new AttemptLog(input.providerTime);
  const { signal } = abort;
  const ask = (some: Attempt[]) =>
    dispatch(some, { signal, log: attemptLog, health, requestId: request.id }, estimatedInputTokens);
  const { remainingMs } = input;
  const stage = search ? new SearchStage(search, { client, signal, ask, remainingMs }) : passThrough;
  return {
    generationId,
    claim: input.claim,
    report: new SettlementSender({ table, queue, health }, { generationId, payer: caller.payer }, admitted),
    remember: routed.remember,
    extender: admitted.extender,
    attempts: attempts.map(({ candidate, quote, leftOut }) => ({
      candidate,
      quote,
      leftOut: leftOutNames(leftOut),
    })),
    attemptLog,
    dispatched: onceRecorded(stage.prepare(attempts).then(ask), admitted, abort),
    estimatedInputTokens,
    receivedAtMs: request.receivedAtMs,
    requestId: request.id,
    streamed: message.stream === true,
    shortened: admitted.shortened,
    originals: routed.originals,
    stage,
    abort,
  };
}

/**
 * Routes the message. Separate from `openAnswer`, so that closures of the answer do not keep the parsed message in
 * memory.
 */
async function routeOrRefuse(input: InferenceInput<RoutedRequest>): Promise<RoutedMessage> {
  const parsed = await parseMessage(input);
  const neededOf = async (unprotected: InferenceInput<RoutedRequest>) => {
    const routed = await routeMessage(parsed, unprotected);
    const { candidates } = routed;
    return { candidates, terms: await messageTerms(unprotected, prepareAttempts(routed, candidates)) };
  };
  return routeMessage(parsed, input, { beforeSearch: () => refuseEarly(input, neededOf) });
}
