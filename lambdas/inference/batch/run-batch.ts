import { cappedAt, chargedTogether, NOTHING_CHARGED, type Charged } from '../../accounting/charge.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import type { HoldExtender } from '../../admission/hold-extender.ts';
import type { NewGeneration } from '../../admission/new-generation.ts';
import { clientHasLeft, GatewayError, gatewayStopping } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { abortBecause, abortInTime, abortReasonOf, abortWhenLeft, abortWhenStopping } from '../abort.ts';
import { AttemptLog } from '../attempt-log.ts';
import { SettlementSender } from '../settlement-sender.ts';
import { holdOrThrow, type HoldTerms } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';
import type { UsageAnomalies } from '../usage-anomalies.ts';
import { planOf, type BatchCandidate, type BatchOffer } from './offers.ts';
import { batchOutcome } from './outcome.ts';
import { answerEach, type BatchRound, type BatchWork } from './rounds.ts';

/**
 * Time in ms before the function's timeout (30 seconds) at which open requests are aborted. The rest is for settling
 * the answers received until then.
 */
const STOP_BEFORE_TIMEOUT_MS = 5_000;

export interface BatchTerms<Task, Answer> extends BatchWork<Task> {
  apiType: NewGeneration['apiType'];
  /** Candidates in the order of attempts, at least one. */
  offers: BatchOffer<Task, Answer>[];
  /** Returns the names of request fields that are not sent to an endpoint. */
  leftOut: (candidate: BatchCandidate) => readonly string[];
  /** Error message for the client if the function's time ends before the answer is complete. */
  outOfTime: string;
}

export interface BatchResult<Answer> {
  candidate: BatchCandidate;
  answer: Answer;
  charged: Charged;
}

/**
 * Answers a request completely, or fails: places the hold, sends the requests to a provider, and settles. The result is
 * one generation. It is charged for the usage at the provider that answered.
 * @throws {GatewayError} if the request is not admitted, or no provider answers
 */
export async function runBatch<Task, Answer>(
  input: InferenceInput<unknown>,
  terms: BatchTerms<Task, Answer>,
): Promise<BatchResult<Answer>> {
  const abort = new AbortController();
  try {
    return await answerUntil(abort, input, terms);
  } finally {
    // Stops the abort timer. It would keep the request in memory until the function's timeout.
    abortBecause(abort, 'ended');
  }
}

async function answerUntil<Task, Answer>(
  abort: AbortController,
  input: InferenceInput<unknown>,
  { apiType, offers, leftOut, outOfTime, ...work }: BatchTerms<Task, Answer>,
): Promise<BatchResult<Answer>> {
  const { caller, generationId } = input;
  // Opens the resources for settlement before the hold is placed. If one of them is missing, nothing may be held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  abortWhenLeft(abort, input.clientLeft);
  const held = await holdOrThrow(
    { table, bootId: resources.bootId() },
    { ...input, receivedAtMs: input.request.receivedAtMs },
    batchTerms(apiType, offers),
  );
  abortInTime(abort, input.remainingMs(), STOP_BEFORE_TIMEOUT_MS);
  abortWhenStopping(abort, input.stopping);
  const report = new SettlementSender({ table, queue, health }, { generationId, payer: caller.payer }, held);

  const { signal } = abort;
  const log = new AttemptLog(input.providerTime);
  const answered = await answerEach(offers, work, { signal, health, log, requestId: input.request.id });
  const charged = await withinLimits(chargedForAll(answered.rounds), held.extender);
  const { receivedAtMs } = input.request;
  const { candidate } = offers[log.index]!;
  const recorded = { offers, leftOut: leftOut(candidate), signal, receivedAtMs, log };
  const outcome = batchOutcome(answered, charged, recorded);
  await report.settle(outcome, { candidate, surprises: batchAnomalies(answered.rounds, charged) });

  const { result } = answered;
  if ('failure' in result) throw clientFailure(result.failure, signal, outOfTime);
  return { candidate, answer: result.answer, charged };
}

/** Returns the terms of the hold for a batch request, which needs one or more requests to a provider. */
export function batchTerms(apiType: NewGeneration['apiType'], offers: readonly BatchOffer[]): HoldTerms {
  const { candidate, bytes } = offers[0]!;
  return { apiType, streamed: false, estimatedTokens: estimateTokens(bytes), candidate, plan: planOf(offers) };
}

function chargedForAll(rounds: readonly BatchRound[]): Charged {
  return rounds.length > 0 ? chargedTogether(rounds) : NOTHING_CHARGED;
}

/** Limits the charge to the hold. First tries to extend the hold to the whole cost. */
async function withinLimits(measured: Charged, extender: HoldExtender): Promise<Charged> {
  return measured.cost.isZero ? measured : cappedAt(measured, await extender.chargeable(measured.cost));
}

function batchAnomalies(rounds: readonly BatchRound[], { isCutByHold }: Charged): UsageAnomalies {
  return {
    isBeyondHold: isCutByHold || rounds.some(({ surprises }) => surprises.isBeyondHold),
    unpriced: [...new Set(rounds.flatMap(({ surprises }) => surprises.unpriced))],
  };
}

function clientFailure(failure: GatewayError, signal: AbortSignal, outOfTime: string): GatewayError {
  const reason = abortReasonOf(signal);
  if (reason === 'client_left') return clientHasLeft(failure);
  if (reason === 'stopping') return gatewayStopping();
  return reason === 'out_of_time' ? new GatewayError('timeout', outOfTime) : failure;
}
