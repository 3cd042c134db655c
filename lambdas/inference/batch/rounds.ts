import { chargeForMeasured, type Charged } from '../../accounting/charge.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { readReportedUsage } from '../../accounting/reported-usage.ts';
import { bytesOfTokens, hasUnitAlone, type PromptUsage } from '../../accounting/usage.ts';
import { completionUnits, pieces, priceNameOf, promptUnits } from '../../catalog/unit-lists.ts';
import type { WireUsage } from '../../messages/types.ts';
import { Money } from '../../money/money.ts';
import { limitConcurrency } from '../../platform/concurrency/concurrency-limit.ts';
import { failureOf, type ProviderFailure } from '../../providers/failures.ts';
import type { BatchRequest, PieceCount, Send } from '../../providers/batch-engine.ts';
import { failedProvider } from '../../routing/connection.ts';
import { abortReasonOf } from '../abort.ts';
import { withFailover, type FailoverOptions } from '../failover.ts';
import { surprisesOf, type UsageAnomalies } from '../usage-anomalies.ts';
import { streamedAnswerTo, wholeAnswerTo } from './exchange.ts';
import { followUpsOf } from './follow-ups.ts';
import { boundOf, estimatedPromptOf, type BatchCandidate, type BatchOffer } from './offers.ts';

export interface BatchRound extends Charged {
  surprises: UsageAnomalies;
}

/** Result of all requests of one task. `rounds` are the charged requests, all to the last candidate. */
export interface BatchAnswers<Answer> {
  rounds: BatchRound[];
  result: { answer: Answer } | { failure: ProviderFailure };
  /** True if the last provider was silent while its model may have been thinking. No other candidate is tried then. */
  wasThinking: boolean;
}

export interface BatchWork<Task> {
  task: Task;
  maxAtOnce: number;
  /**
   * If true, the charge is only for a complete answer, or for a stream that the client left after its first content.
   */
  isBilledWhole?: boolean | undefined;
}

/** Sends the task to one candidate after the other until one answers. `log.index` identifies the last candidate. */
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
    // An aborted task may be charged for its finished requests, but not if the process is stopping.
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
      const { engine, target } = candidate;
      const reported = engine.readUsage(body, headers, target);
      rounds.push(chargedFor(batchRequest, reported, candidate, engine.writtenTokens?.(body, target)));
      return body;
    });
  const open: Send['open'] = (batchRequest, decode) => streamedAnswerTo(batchRequest, decode, exchange);
  try {
    return await candidate.engine.answer(task, candidate.target, Object.assign(whole, { open }), followUpsOf(exchange));
  } catch (error) {
    // Aborts the other requests of the task, because their answers are now useless.
    attempt.abort();
    throw error;
  }
}

/**
 * Returns the charge of one request, limited to its upper bound.
 * @param writtenTokens estimated tokens that the provider wrote, charged if neither the provider nor another estimate has
 *   their number, or if the provider reports 0
 */
export function chargedFor(
  batchRequest: BatchRequest,
  reported: WireUsage | undefined,
  candidate: BatchCandidate,
  writtenTokens = 0,
): BatchRound {
  const known = isUsableReport(reported, candidate) ? reported : undefined;
  const usage = known && (batchRequest.billedUsage?.(known) ?? known);
  const meter = new UsageMeter({
    estimatedInputTokens: estimatedPromptOf(batchRequest).inputTokens,
    promptCountedAtStart: false,
  });
  const estimatedUsage = usage ? undefined : unreportedUsage(batchRequest, candidate);
  if (usage ?? estimatedUsage) meter.addReported(usage ?? estimatedUsage);
  const missing = missingPieces(batchRequest, candidate, usage);
  for (const [name, { estimated }] of missing) meter.addReported({ [name]: estimated, output_tokens: 0 });
  // Estimates unreported output usage: at least one token, if the request has output at all.
  const output = meter.reportedOutputTokens;
  const isZeroWrong = output === 0 && writtenTokens > 0 && !candidate.pricing.completion.isZero;
  if (batchRequest.outputTokens > 0 && (output === undefined || isZeroWrong)) {
    meter.holdBack(bytesOfTokens(Math.max(1, writtenTokens)));
  }
  const bound = boundOf(batchRequest, candidate);
  const round = chargeForMeasured(meter, { pricing: candidate.pricing, bound }, 'usage', undefined);
  // The number of a missing piece is exact if its estimate equals its maximum.
  const isGuess = estimatedUsage !== undefined || missing.some(([, { estimated, max }]) => estimated < max);
  return { ...round, estimated: round.estimated || isGuess, surprises: surprisesOf(round, meter, bound) };
}

/** Usage to charge for a request without a report; undefined if the meter's own estimate suffices. */
function unreportedUsage(batchRequest: BatchRequest, { pricing }: BatchCandidate): WireUsage | undefined {
  const prompt: PromptUsage = estimatedPromptOf(batchRequest);
  const isPriced = promptUnits.some((unit) => !(pricing[priceNameOf(unit)] ?? Money.zero).isZero);
  const hasParts = isPriced && Object.keys(prompt).length > 1;
  if (!hasParts) return batchRequest.estimatedUsage;
  const counts = promptUnits.flatMap(({ usage: field, reported }) => {
    const tokens = prompt[field];
    return reported?.length === 1 && tokens !== undefined ? [[reported[0], tokens]] : [];
  });
  return { ...batchRequest.estimatedUsage, ...Object.fromEntries(counts) };
}

/**
 * Returns false for a report that would make the answer free: a report of zeros, which servers send if they count
 * nothing (https://github.com/BerriAI/litellm/issues/17302), or only units without a price, such as seconds at an
 * endpoint with prices for tokens.
 */
function isUsableReport(usage: WireUsage | undefined, { pricing }: BatchCandidate): boolean {
  const reported = readReportedUsage(usage);
  if (Object.values(reported).every((count) => count === 0)) return false;
  if (pricing.prompt.isZero || !hasUnitAlone(reported)) return true;
  return (
    pieces.some((unit) => reported[unit.usage] && pricing[priceNameOf(unit)]) ||
    [...promptUnits, ...completionUnits].some((unit) => reported[unit.usage])
  );
}

/** Returns the request's pieces that have a price and that the provider did not report, or reported as 0. */
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
