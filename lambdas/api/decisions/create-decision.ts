import { chargedTogether, type Charged } from '../../accounting/charge.ts';
import { reportSettlement } from '../../accounting/report.ts';
import { promptTokens } from '../../accounting/usage.ts';
import type { HoldKeeper } from '../../admission/hold-keeper.ts';
import { answerOf } from '../../decisions/question.ts';
import { jsonResponse, type HttpResponse } from '../../http/response.ts';
import { Money } from '../../money/money.ts';
import { clientHasLeft, GatewayError } from '../../platform/errors.ts';
import { log, tripwires } from '../../platform/logger.ts';
import { resources } from '../../resources.ts';
import { abortInTime, abortWhenLeft, type AbortReason } from '../messages/abort.ts';
import { decideInTurn } from './decide.ts';
import { holdForDecision, type DecisionInput } from './decision-hold.ts';
import { prepareOffers } from './offers.ts';
import { decisionOutcome, NOTHING_CHARGED } from './outcome.ts';
import { routeDecision } from './routed-decision.ts';
import type { DecisionsAnswer } from './shape.ts';

/** A function of the API is stopped after half a minute: what was decided until then has to be settled. */
const STOP_BEFORE_TIMEOUT_MS = 5_000;

/**
 * Answers all questions of a request, or none: candidates, hold, requests to a provider, settlement. One generation, which is
 * charged for what the provider that decided has read and written.
 */
export async function createDecision(input: DecisionInput): Promise<HttpResponse> {
  const { body, caller, generationId } = input;
  const { task, own, candidates } = await routeDecision(body, caller);
  const offers = prepareOffers(candidates, task);
  // All that settlement needs is there before anything is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  const abort = new AbortController();
  abortWhenLeft(abort, input.clientLeft);
  const { keeper } = await holdForDecision(input, offers);
  abortInTime(abort, input.remainingMs(), STOP_BEFORE_TIMEOUT_MS);

  const decided = await decideInTurn(offers, task, { signal: abort.signal, health });
  const charged = await chargedFor(decided.rounds, keeper);
  const { hold } = await keeper.settled();
  const { receivedAtMs } = input.request;
  const outcome = decisionOutcome(decided, charged, { offers, signal: abort.signal, receivedAtMs });
  if (charged.exceeded) {
    // A surprising report of a provider must neither be paid nor be dropped in silence.
    const about = { model: outcome.model, endpoint: outcome.endpointId, costRub: outcome.cost.toString() };
    log('error', tripwires.usageBeyondHold, { generationId, ...about });
  }
  await Promise.all([
    reportSettlement(table, queue, { generationId, payer: caller.payer, hold, outcome }),
    health.publish(),
  ]);

  const { result, index } = decided;
  if ('failure' in result) throw failureForClient(result.failure, abort.signal);
  const { model, endpoint } = offers[index]!.candidate;
  const answers = Object.keys(body.questions).map((name, at) => [
    name,
    answerOf(own.questions[at]!, result.verdicts[at]!),
  ]);
  // What a provider does not report is counted, and settled a little later.
  const isPending = charged.estimated;
  const answer: DecisionsAnswer = {
    id: generationId,
    model: model.id,
    provider: endpoint.provider.name,
    answers: Object.fromEntries(answers) as DecisionsAnswer['answers'],
    usage: {
      input_tokens: promptTokens(charged.usage),
      output_tokens: charged.usage.outputTokens,
      ...(isPending ? {} : { cost: charged.cost }),
    },
  };
  return jsonResponse<DecisionsAnswer>(200, answer, isPending ? { 'x-service-billing-status': 'pending' } : {});
}

/** What all requests cost together, as far as the hold goes. */
async function chargedFor(rounds: readonly Charged[], keeper: HoldKeeper): Promise<Charged> {
  const last = rounds.at(-1);
  if (!last) return NOTHING_CHARGED;
  const measured = chargedTogether(rounds.slice(0, -1), last, { count: 0, price: Money.zero });
  const cost = await keeper.chargeable(measured.cost);
  return cost.equals(measured.cost) ? measured : { ...measured, cost, exceeded: true };
}

function failureForClient(failure: GatewayError, signal: AbortSignal): GatewayError {
  const { reason } = signal as { reason: AbortReason | undefined };
  if (reason === 'client_left') return clientHasLeft(failure);
  if (reason !== 'out_of_time') return failure;
  return new GatewayError('timeout', 'The questions took longer than the gateway may run. Ask fewer at once.');
}
