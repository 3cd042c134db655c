import { cappedAt, chargedTogether, NOTHING_CHARGED, type Charged } from '../../accounting/charge.ts';
import { reportSettlement } from '../../accounting/report.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import type { HoldKeeper } from '../../admission/hold-keeper.ts';
import { answerOf } from '../../decisions/question.ts';
import type { DecisionsRequest } from '../../decisions/schema.ts';
import { clientHasLeft, GatewayError } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import type { DecisionCandidate } from '../../routing/decision-candidates.ts';
import { abortInTime, abortWhenLeft, type AbortReason } from '../abort.ts';
import { holdOrThrow } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';
import { raiseAlarms, type Surprises } from '../tripwires.ts';
import { decideInTurn, type DecidedRound } from './decide.ts';
import { planOf, prepareOffers, type DecisionOffer } from './offers.ts';
import { decisionOutcome } from './outcome.ts';
import { routeDecision } from './routed-decision.ts';

/** A function of the API is stopped after half a minute: what was decided until then has to be settled. */
const STOP_DECIDING_BEFORE_TIMEOUT_MS = 5_000;

export type DecisionInput = InferenceInput<DecisionsRequest>;

/** All questions answered, by the candidate that did. */
export interface AnsweredDecision {
  candidate: DecisionCandidate;
  /** By the name of the question. */
  answers: Record<string, ReturnType<typeof answerOf>>;
  charged: Charged;
}

/**
 * Answers all questions of a request, or none: candidates, hold, requests to a provider, settlement. One generation, which is
 * charged for what the provider that decided has read and written.
 * @throws {GatewayError} when the request goes nowhere, is not admitted, or nobody decides
 */
export async function answerDecision(input: DecisionInput): Promise<AnsweredDecision> {
  const { body, caller, generationId } = input;
  const { task, own, candidates } = await routeDecision(body, caller);
  const offers = prepareOffers(candidates, task);
  // All that settlement needs is there before anything is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  const abort = new AbortController();
  abortWhenLeft(abort, input.clientLeft);
  const [{ candidate: first, bytes }] = offers as [DecisionOffer];
  const { keeper } = await holdOrThrow(
    { table, bootId: resources.bootId() },
    { ...input, receivedAtMs: input.request.receivedAtMs },
    {
      apiType: 'decisions',
      streamed: false,
      estimatedTokens: estimateTokens(bytes),
      candidate: first,
      plan: planOf(offers),
    },
  );
  abortInTime(abort, input.remainingMs(), STOP_DECIDING_BEFORE_TIMEOUT_MS);

  const decided = await decideInTurn(offers, task, { signal: abort.signal, health });
  const measured = chargedForAll(decided.rounds);
  const charged = await withinLimits(measured, keeper);
  const { hold } = await keeper.settled();
  const { receivedAtMs } = input.request;
  const outcome = decisionOutcome(decided, charged, { offers, signal: abort.signal, receivedAtMs });
  const { candidate } = offers[decided.index]!;
  const isCutByHold = !charged.cost.equals(measured.cost);
  raiseAlarms(decisionSurprises(decided.rounds, isCutByHold), { generationId, candidate, cost: outcome.cost });
  await Promise.all([
    reportSettlement(table, queue, { generationId, payer: caller.payer, hold, outcome }),
    health.publish(),
  ]);

  const { result } = decided;
  if ('failure' in result) throw decisionFailure(result.failure, abort.signal);
  const answers = Object.keys(body.questions).map((name, at) => [
    name,
    answerOf(own.questions[at]!, result.verdicts[at]!),
  ]);
  return { candidate, answers: Object.fromEntries(answers) as AnsweredDecision['answers'], charged };
}

/** The price of all requests together. */
function chargedForAll(rounds: readonly DecidedRound[]): Charged {
  return rounds.length > 0 ? chargedTogether(rounds) : NOTHING_CHARGED;
}

/** As far as the hold goes, which is raised where that is possible. */
async function withinLimits(measured: Charged, keeper: HoldKeeper): Promise<Charged> {
  return measured.cost.isZero ? measured : cappedAt(measured, await keeper.chargeable(measured.cost));
}

function decisionSurprises(rounds: readonly DecidedRound[], isCutByHold: boolean): Surprises {
  return {
    isBeyondHold: isCutByHold || rounds.some(({ surprises }) => surprises.isBeyondHold),
    unpriced: [...new Set(rounds.flatMap(({ surprises }) => surprises.unpriced))],
  };
}

function decisionFailure(failure: GatewayError, signal: AbortSignal): GatewayError {
  const { reason } = signal as { reason: AbortReason | undefined };
  if (reason === 'client_left') return clientHasLeft(failure);
  if (reason !== 'out_of_time') return failure;
  return new GatewayError('timeout', 'The questions took longer than the gateway may run. Ask fewer at once.');
}
