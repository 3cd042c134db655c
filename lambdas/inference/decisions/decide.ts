import { setTimeout as sleep } from 'node:timers/promises';
import { chargeForMeasured, type Charged } from '../../accounting/charge.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { estimateTokens, promptTokens } from '../../accounting/usage.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import { atMost } from '../../platform/at-most.ts';
import { failureOf, refusalOfResponse, type ProviderFailure } from '../../providers/failures.ts';
import type { Ask } from '../../providers/decisions/engine.ts';
import { readText, UpstreamError } from '../../providers/http/upstream-http.ts';
import { connect, failedProvider } from '../../routing/connection.ts';
import type { DecisionCandidate } from '../../routing/decision-candidates.ts';
import { askInTurn, type FailedAttempt, type InTurn } from '../in-turn.ts';
import { isUsualSlip, type Surprises } from '../tripwires.ts';
import { boundOf, type DecisionOffer } from './offers.ts';

/** A request to a provider that is charged. */
export interface DecidedRound extends Charged {
  surprises: Surprises;
}

/**
 * What came of it. `rounds` are the requests that are charged: those of a candidate that failed are not. `failed` are all
 * attempts that failed, that at `index` among them where a provider's failure was the end.
 */
export interface Decided {
  index: number;
  rounds: DecidedRound[];
  failed: FailedAttempt[];
  result: { verdicts: Verdict[] } | { failure: ProviderFailure };
  /** A silent model may have been thinking: the rounds before are paid for, and nobody else is asked. */
  wasThinking: boolean;
}

/** Asks one candidate after the other, until one has answered every question. */
export async function decideInTurn(
  offers: readonly DecisionOffer[],
  task: Task,
  { signal, health }: Pick<InTurn, 'signal' | 'health'>,
): Promise<Decided> {
  const failed: FailedAttempt[] = [];
  const current: Pick<Decided, 'index' | 'rounds'> = { index: 0, rounds: [] };
  const begin = (offer: DecisionOffer, index: number) => {
    Object.assign(current, { index, rounds: [] });
    return decideAt(offer, task, current.rounds, signal);
  };
  try {
    const onFailure = (attempt: FailedAttempt) => failed.push(attempt);
    const { answer: verdicts } = await askInTurn(offers, begin, { signal, health, onFailure });
    return { ...current, failed, result: { verdicts }, wasThinking: false };
  } catch (error) {
    const { index, rounds } = current;
    const { candidate, hasHiddenReasoning } = offers[index]!;
    const failure = failureOf(error, failedProvider(candidate));
    const wasThinking = failure.wasSilent && hasHiddenReasoning;
    // Whoever leaves has been answered in part, and pays for it. A provider that fails is not paid.
    const paid = signal.aborted || wasThinking ? rounds : [];
    return { index, rounds: paid, failed, result: { failure }, wasThinking };
  }
}

/** So many requests of one decision are under way at most. */
const MAX_DECISIONS_AT_ONCE = 16;

async function decideAt(
  { candidate }: DecisionOffer,
  task: Task,
  rounds: DecidedRound[],
  signal: AbortSignal,
): Promise<Verdict[]> {
  // When one request fails, nobody needs what the others would say.
  const attempt = new AbortController();
  const until = AbortSignal.any([signal, attempt.signal]);
  const inTurn = atMost(MAX_DECISIONS_AT_ONCE);
  const send = (ask: Ask) =>
    inTurn(async () => {
      const body = await answerTo(ask, candidate, until);
      rounds.push(chargedFor(ask, body, candidate));
      return body;
    });
  try {
    return await candidate.engine.decide(task, candidate.target, send);
  } finally {
    attempt.abort();
  }
}

function chargedFor(ask: Ask, body: unknown, candidate: DecisionCandidate): DecidedRound {
  const estimatedInputTokens = estimateTokens(Buffer.byteLength(ask.request.body));
  const meter = new UsageMeter({ estimatedInputTokens, promptCountedAtStart: false });
  const usage = candidate.engine.readUsage(body);
  if (usage) meter.addReported(usage);
  // What was not reported is estimated: at least a word was written.
  if (meter.reportedOutputTokens === undefined) meter.holdBack(1);
  const bound = boundOf(ask, candidate);
  const round = chargeForMeasured(meter, { pricing: candidate.pricing, bound }, 'usage', undefined);
  const reported = { promptTokens: promptTokens(round.usage), reportedOutputTokens: meter.reportedOutputTokens };
  const isBeyondHold = round.exceeded && !isUsualSlip(reported, bound);
  return { ...round, surprises: { isBeyondHold, unpriced: [...meter.unpriced] } };
}

const MAX_DECISION_BYTES = 4 * 1024 * 1024;
const DECISION_PAUSES_MS = [250, 1_000];

/** The answer to one request; where its provider is busy for a moment, to the same request once more. */
async function answerTo(ask: Ask, candidate: DecisionCandidate, signal: AbortSignal): Promise<unknown> {
  for (const pauseMs of DECISION_PAUSES_MS) {
    try {
      return await decisionExchange(ask, candidate, signal);
    } catch (error) {
      const { mayTryAnother, kind } = failureOf(error, failedProvider(candidate));
      if (signal.aborted || !mayTryAnother || kind === 'timeout') throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  }
  return decisionExchange(ask, candidate, signal);
}

async function decisionExchange({ request }: Ask, candidate: DecisionCandidate, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const response = await connect(candidate, request, signal).send(request.body);
  const text = await readText(response.body, MAX_DECISION_BYTES);
  if (response.status < 200 || response.status > 299) {
    throw refusalOfResponse(response, candidate.engine.readRefusal(text), failedProvider(candidate));
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UpstreamError('malformed', 'The provider sent an answer that is not JSON', error);
  }
}
