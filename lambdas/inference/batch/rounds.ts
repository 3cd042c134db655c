import { chargeForMeasured, type Charged } from '../../accounting/charge.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { readReportedUsage } from '../../accounting/reported-usage.ts';
import { bytesOfTokens, hasUnitAlone } from '../../accounting/usage.ts';
import { completionUnits, pieces, priceNameOf, promptUnits } from '../../catalog/unit-lists.ts';
import type { WireUsage } from '../../messages/types.ts';
import { limitConcurrency } from '../../platform/concurrency/concurrency-limit.ts';
import { failureOf, type ProviderFailure } from '../../providers/failures.ts';
import type { BatchRequest, PieceCount, Send } from '../../providers/batch-engine.ts';
import { failedProvider } from '../../routing/connection.ts';
import { abortReasonOf } from '../abort.ts';
import { withFailover, type FailoverOptions } from '../failover.ts';
import { surprisesOf, type UsageAnomalies } from '../usage-anomalies.ts';
import { streamedAnswerTo, wholeAnswerTo } from './exchange.ts';
import { followUpsOf } from './follow-ups.ts';
import { boundOf, estimatedInputTokens, type BatchCandidate, type BatchOffer } from './offers.ts';

/** Charge of one request to a provider. */
export interface BatchRound extends Charged {
  surprises: UsageAnomalies;
}

/**
 * Result of all requests of one task. `rounds` are the charged requests, all to the last candidate that was tried.
 * Requests to earlier candidates are free.
 */
export interface BatchAnswers<Answer> {
  rounds: BatchRound[];
  result: { answer: Answer } | { failure: ProviderFailure };
  /**
   * True if the last provider was silent while its model may have been thinking. Then no other candidate is tried, and
   * the requests answered before the silence are charged, unless only a complete answer is billed (`isBilledWhole`).
   */
  wasThinking: boolean;
}

/** A task that is tried at one candidate after the other. */
export interface BatchWork<Task> {
  task: Task;
  maxAtOnce: number;
  /**
   * Whether the provider bills only complete answers. If absent, a client that disconnects also pays for the finished
   * requests.
   */
  isBilledWhole?: boolean | undefined;
}

/**
 * Sends the task to one candidate after the other until one completes the whole task, or failover ends. `log.index`
 * then identifies the last candidate that was tried.
 */
export async function answerEach<Task, Answer>(
  offers: readonly BatchOffer<Task, Answer>[],
  work: BatchWork<Task>,
  inTurn: FailoverOptions,
): Promise<BatchAnswers<Answer>> {
  const { signal, log } = inTurn;
  let rounds: BatchRound[] = [];
  const begin = (offer: BatchOffer<Task, Answer>) => {
    rounds = [];
    return answerOne(offer, work, rounds, inTurn);
  };
  try {
    const answer = await withFailover(offers, begin, inTurn);
    return { rounds, result: { answer }, wasThinking: false };
  } catch (error) {
    const { candidate, hasHiddenReasoning } = offers[log.index]!;
    const failure = failureOf(error, failedProvider(candidate));
    const wasThinking = failure.wasSilent && hasHiddenReasoning;
    // Unless only complete answers are billed, the client pays for the answered requests in three cases: the client
    // disconnected, the function's time is over, or the model may have been thinking silently.
    const isStopped = abortReasonOf(signal) === 'stopping';
    const isPaid = !work.isBilledWhole && ((signal.aborted && !isStopped) || wasThinking);
    const paid = isPaid ? rounds : [];
    return { rounds: paid, result: { failure }, wasThinking };
  }
}

async function answerOne<Task, Answer>(
  { index, candidate }: BatchOffer<Task, Answer>,
  { task, maxAtOnce }: BatchWork<Task>,
  rounds: BatchRound[],
  { signal, log }: FailoverOptions,
): Promise<Answer> {
  const attempt = new AbortController();
  const exchange = { index, candidate, log, signal: AbortSignal.any([signal, attempt.signal]) };
  const inTurn = limitConcurrency(maxAtOnce);
  const whole = (batchRequest: BatchRequest) =>
    inTurn(async () => {
      const { body, headers } = await wholeAnswerTo(batchRequest, exchange);
      rounds.push(chargedFor(batchRequest, candidate.engine.readUsage(body, headers, candidate.target), candidate));
      return body;
    });
  const open: Send['open'] = (batchRequest, decode) => streamedAnswerTo(batchRequest, decode, exchange);
  try {
    return await candidate.engine.answer(task, candidate.target, Object.assign(whole, { open }), followUpsOf(exchange));
  } catch (error) {
    // If one request fails, the answers to the other requests are useless, so the gateway aborts them.
    attempt.abort();
    throw error;
  }
}

/**
 * Returns the charge of one request to the provider.
 * @param estimatedOutputTokens output tokens of a request with output, if neither the provider nor another estimate has
 *   their number
 */
export function chargedFor(
  batchRequest: BatchRequest,
  reported: WireUsage | undefined,
  candidate: BatchCandidate,
  estimatedOutputTokens = 1,
): BatchRound {
  const known = isInPricedUnits(reported, candidate) ? reported : undefined;
  const usage = known && (batchRequest.billedUsage?.(known) ?? known);
  const meter = new UsageMeter({
    estimatedInputTokens: estimatedInputTokens(batchRequest),
    promptCountedAtStart: false,
  });
  const estimatedUsage = usage ? undefined : batchRequest.estimatedUsage;
  if (usage ?? estimatedUsage) meter.addReported(usage ?? estimatedUsage);
  const missing = missingPieces(batchRequest, candidate, usage);
  for (const [name, { estimated }] of missing) meter.addReported({ [name]: estimated, output_tokens: 0 });
  // Estimates output usage that the provider did not report: at least one token, if the request has output at all.
  if (batchRequest.outputTokens > 0 && meter.reportedOutputTokens === undefined) {
    meter.holdBack(bytesOfTokens(Math.max(1, estimatedOutputTokens)));
  }
  const bound = boundOf(batchRequest, candidate);
  const round = chargeForMeasured(meter, { pricing: candidate.pricing, bound }, 'usage', undefined);
  // If the estimate equals the maximum, it is exact. For example, each short document counts as one unit.
  const isGuess = estimatedUsage !== undefined || missing.some(([, { estimated, max }]) => estimated < max);
  return { ...round, estimated: round.estimated || isGuess, surprises: surprisesOf(round, meter, bound) };
}

/**
 * Returns whether a report has tokens or a unit with a price. A report without any, such as seconds at an endpoint with
 * prices for tokens, would make the answer free.
 */
function isInPricedUnits(usage: WireUsage | undefined, { pricing }: BatchCandidate): boolean {
  const reported = readReportedUsage(usage);
  if (pricing.prompt.isZero || !hasUnitAlone(reported)) return true;
  return (
    pieces.some((unit) => reported[unit.usage] && pricing[priceNameOf(unit)]) ||
    [...promptUnits, ...completionUnits].some((unit) => reported[unit.usage])
  );
}

/** Returns the priced units that the provider did not report, or reported as 0, by their names in a usage report. */
function missingPieces(
  { pieces: counts = {} }: BatchRequest,
  { pricing }: BatchCandidate,
  usage: WireUsage | undefined,
): [name: string, count: PieceCount][] {
  const reported = readReportedUsage(usage);
  return pieces.flatMap((unit) => {
    const count = counts[unit.usage];
    const isMissing = count !== undefined && pricing[priceNameOf(unit)] && !reported[unit.usage];
    return isMissing && unit.reported ? [[unit.reported[0], count]] : [];
  });
}
