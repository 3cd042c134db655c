import { cappedAt, chargedTogether, NOTHING_CHARGED, type Charged } from '../../accounting/charge.ts';
import type { HoldExtender } from '../../admission/hold-extender.ts';
import type { NewGeneration } from '../../admission/new-generation.ts';
import { clientHasLeft, GatewayError, gatewayStopping } from '../../platform/errors.ts';
import type { WireTarget } from '../../providers/wire.ts';
import { resources } from '../../resources.ts';
import { abortBecause, abortInTime, abortReasonOf, abortWhenLeft, abortWhenStopping } from '../abort.ts';
import { AttemptLog } from '../attempt-log.ts';
import { SettlementSender } from '../settlement-sender.ts';
import { holdOrThrow, type HoldTerms } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';
import type { UsageAnomalies } from '../usage-anomalies.ts';
import { planOf, type BatchCandidate, type BatchOffer } from './offers.ts';
import { abortedEnding, batchOutcome, type EndedBatch } from './outcome.ts';
import { answerEach, type BatchAnswers, type BatchRound, type BatchWork } from './rounds.ts';

/** Time in ms before the function's timeout at which open requests are aborted, to settle the finished ones. */
const STOP_BEFORE_TIMEOUT_MS = 5_000;
/**
 * Time in ms from the receipt of a request until its answer must have begun. API Gateway and Node's `fetch` close a
 * silent connection after five minutes, so the client would pay for an answer that it never received.
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/response-transfer-mode.html
 */
const MAX_SILENCE_MS = 285_000;

export interface BatchTerms<Task, Answer> extends BatchWork<Task> {
  apiType: NewGeneration['apiType'];
  offers: BatchOffer<Task, Answer>[];
  leftOut: (target: WireTarget) => readonly string[];
  outOfTime: string;
}

export interface BatchResult<Answer> {
  candidate: BatchCandidate;
  leftOut: readonly string[];
  answer: Answer;
  charged: Charged;
}

/** A request that holds money, after all attempts. Settle it once. */
export interface BatchRun<Task, Answer> {
  input: InferenceInput<unknown>;
  terms: BatchTerms<Task, Answer>;
  abort: AbortController;
  extender: HoldExtender;
  report: SettlementSender;
  log: AttemptLog;
  answered: BatchAnswers<Answer>;
}

/**
 * Returns a whole answer and its charge, after settlement.
 * @throws {GatewayError} if the request is not admitted, or no provider answers
 */
export async function runBatch<Task, Answer>(
  input: InferenceInput<unknown>,
  terms: BatchTerms<Task, Answer>,
): Promise<BatchResult<Answer>> {
  const abort = new AbortController();
  try {
    const held = { streamed: false, stopBeforeMs: STOP_BEFORE_TIMEOUT_MS };
    const run = await beginBatch(abort, input, terms, held);
    const { result } = run.answered;
    const charged = await settleRun(run, run.answered.rounds, endOfWhole(run));
    if ('failure' in result) throw clientFailure(result.failure, run, !charged.cost.isZero);
    const candidate = answeringCandidate(run);
    return { candidate, leftOut: terms.leftOut(candidate.target), answer: result.answer, charged };
  } finally {
    // Stops the abort timer, which would keep the request in memory until shortly before the function's timeout.
    abortBecause(abort, 'ended');
  }
}

/**
 * Places the hold, and sends the task to one candidate after the other. The caller settles the run.
 * @param stopBeforeMs time in ms before the function's timeout at which requests are aborted
 * @throws {GatewayError} if the request is not admitted
 */
export async function beginBatch<Task, Answer>(
  abort: AbortController,
  input: InferenceInput<unknown>,
  terms: BatchTerms<Task, Answer>,
  { streamed, stopBeforeMs }: { streamed: boolean; stopBeforeMs?: number },
): Promise<BatchRun<Task, Answer>> {
  const { caller, generationId } = input;
  const { apiType, offers } = terms;
  // Opens the resources for settlement first: if one cannot be opened, the request must fail before money is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  abortWhenLeft(abort, input.clientLeft);
  const held = await holdOrThrow(
    { table, bootId: resources.bootId() },
    { ...input, receivedAtMs: input.request.receivedAtMs },
    { ...batchTerms(apiType, offers), streamed },
  );
  abortInTime(abort, input.remainingMs(), stopBeforeMs);
  const waitedMs = performance.now() - input.request.receivedAtMs;
  const silence = setTimeout(() => abortBecause(abort, 'out_of_time'), MAX_SILENCE_MS - waitedMs);
  abortWhenStopping(abort, input.stopping);
  const report = new SettlementSender({ table, queue, health }, { generationId, payer: caller.payer }, held);

  const { signal } = abort;
  const log = new AttemptLog(input.providerTime);
  const answering = answerEach(offers, terms, { signal, health, log, requestId: input.request.id });
  const answered = await answering.finally(() => clearTimeout(silence));
  return { input, terms, abort, extender: held.extender, report, log, answered };
}

/** Computes the charge within the hold, and settles the generation. */
export async function settleRun(
  run: BatchRun<unknown, unknown>,
  rounds: readonly BatchRound[],
  ended: EndedBatch,
): Promise<Charged> {
  const charged = await chargedWithinLimits(run, rounds);
  await reportBatch(run, { rounds, charged }, ended);
  return charged;
}

/** Reports a charge to settlement, once, as the last step. */
export async function reportBatch(
  run: BatchRun<unknown, unknown>,
  { rounds, charged }: { rounds: readonly BatchRound[]; charged: Charged },
  ended: EndedBatch,
): Promise<void> {
  const { input, terms, report, log } = run;
  const { offers } = terms;
  const candidate = answeringCandidate(run);
  const { receivedAtMs } = input.request;
  const outcome = batchOutcome(ended, charged, { offers, leftOut: terms.leftOut(candidate.target), receivedAtMs, log });
  await report.settle(outcome, { candidate, surprises: batchAnomalies(rounds, charged) });
}

/** Returns the charge, limited to the hold, after an attempt to extend the hold. */
export async function chargedWithinLimits(
  { extender }: Pick<BatchRun<unknown, unknown>, 'extender'>,
  rounds: readonly BatchRound[],
): Promise<Charged> {
  const measured = rounds.length > 0 ? chargedTogether(rounds) : NOTHING_CHARGED;
  return measured.cost.isZero ? measured : cappedAt(measured, await extender.chargeable(measured.cost));
}

/** Returns the candidate that answered, or the last one tried. */
export function answeringCandidate<Task, Answer>({ terms, log }: BatchRun<Task, Answer>): BatchCandidate<Task, Answer> {
  return terms.offers[log.index]!.candidate;
}

/** Returns the terms of the hold for a batch request. */
export function batchTerms(apiType: NewGeneration['apiType'], offers: readonly BatchOffer[]): HoldTerms {
  const { candidate, input } = offers[0]!;
  return { apiType, streamed: false, prompt: input, candidate, plan: planOf(offers) };
}

/** Returns the ending of an answer that was not streamed, or that failed before its first content. */
export function endOfWhole({ answered, abort, input }: BatchRun<unknown, unknown>): EndedBatch {
  const { result, rounds, wasThinking } = answered;
  const isAnswered = 'answer' in result;
  const ending = isAnswered
    ? 'complete'
    : wasThinking
      ? 'out_of_time'
      : (abortedEnding(abort.signal) ?? 'refused_before');
  const latencyMs = Math.round(performance.now() - input.request.receivedAtMs);
  return { ending, hasOutput: rounds.length > 0, latencyMs, generationTimeMs: null };
}

function batchAnomalies(rounds: readonly BatchRound[], { isCutByHold }: Charged): UsageAnomalies {
  return {
    isBeyondHold: isCutByHold || rounds.some(({ surprises }) => surprises.isBeyondHold),
    unpriced: [...new Set(rounds.flatMap(({ surprises }) => surprises.unpriced))],
  };
}

/**
 * Returns the error for the client after a failure or an abort. If the failed answer is charged, the error discourages
 * a retry, which would be charged again.
 */
export function clientFailure(
  failure: GatewayError,
  run: Pick<BatchRun<unknown, unknown>, 'abort' | 'terms'>,
  isCharged: boolean,
): GatewayError {
  const shown = failureShown(failure, run);
  return isCharged ? shown.discourageRetry() : shown;
}

function failureShown(
  failure: GatewayError,
  { abort, terms }: Pick<BatchRun<unknown, unknown>, 'abort' | 'terms'>,
): GatewayError {
  const reason = abortReasonOf(abort.signal);
  if (reason === 'client_left') return clientHasLeft(failure);
  if (reason === 'stopping') return gatewayStopping();
  return reason === 'out_of_time' ? new GatewayError('timeout', terms.outOfTime) : failure;
}
