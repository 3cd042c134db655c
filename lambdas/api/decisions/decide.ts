/** One candidate after the other is asked, until one has answered every question. */

import { setTimeout as sleep } from 'node:timers/promises';
import { charged, type Charged } from '../../accounting/charge.ts';
import { UsageMeter } from '../../accounting/meter.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import type { Verdict } from '../../decisions/question.ts';
import type { Task } from '../../decisions/task.ts';
import { atMost } from '../../platform/at-most.ts';
import { describeError, log } from '../../platform/logger.ts';
import { failureOf, refusalOfResponse, type ProviderFailure } from '../../providers/failures.ts';
import type { Ask } from '../../providers/decisions/engine.ts';
import { readText, UpstreamError } from '../../providers/upstream-http.ts';
import { connect, failedProvider } from '../../routing/connection.ts';
import type { FailedAttempt } from '../../routing/dispatch.ts';
import type { SharedHealth } from '../../routing/health.ts';
import { boundOf, type Offer } from './offers.ts';

/**
 * What came of it. `rounds` are the requests that are charged: those of a candidate that failed are not. `failed` are all
 * attempts that failed, that at `index` among them where a provider's failure was the end.
 */
export interface Decided {
  index: number;
  rounds: Charged[];
  failed: FailedAttempt[];
  result: { verdicts: Verdict[] } | { failure: ProviderFailure };
}

interface Deciding {
  signal: AbortSignal;
  health: Pick<SharedHealth, 'record'>;
}

export async function decideInTurn(
  offers: readonly Offer[],
  task: Task,
  { signal, health }: Deciding,
): Promise<Decided> {
  const failed: FailedAttempt[] = [];
  const refusedBy = new Set<string>();
  let last: Decided | undefined;
  for (const [index, offer] of offers.entries()) {
    const { candidate } = offer;
    if (refusedBy.has(candidate.model.id)) continue;
    const beganAtMs = performance.now();
    const rounds: Charged[] = [];
    try {
      const verdicts = await decideAt(offer, task, rounds, signal);
      health.record(candidate.endpoint.id, 'ok');
      return { index, rounds, failed, result: { verdicts } };
    } catch (error) {
      const failure = failureOf(error, failedProvider(candidate));
      // Whoever leaves has been answered in part, and pays for it.
      if (signal.aborted) return { index, rounds, failed, result: { failure } };
      // A provider that fails is not paid.
      last = { index, rounds: [], failed, result: { failure } };
      const durationMs = Math.round(performance.now() - beganAtMs);
      failed.push({ index, providerStatus: failure.providerStatus ?? null, durationMs });
      if (failure.mayTryAnother) health.record(candidate.endpoint.id, 'failed');
      else refusedBy.add(candidate.model.id);
      const { provider } = candidate.endpoint;
      const reason = failure.cause === undefined ? { reason: failure.kind } : describeError(failure.cause);
      log('warn', 'provider did not decide', {
        provider: provider.id,
        model: candidate.model.id,
        status: failure.status,
        ...reason,
      });
    }
  }
  return last!;
}

/** So many requests of one decision are under way at most. */
const MOST_AT_ONCE = 16;

async function decideAt({ candidate }: Offer, task: Task, rounds: Charged[], signal: AbortSignal): Promise<Verdict[]> {
  // When one request fails, nobody needs what the others would say.
  const attempt = new AbortController();
  const until = AbortSignal.any([signal, attempt.signal]);
  const inTurn = atMost(MOST_AT_ONCE);
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

function chargedFor(ask: Ask, body: unknown, candidate: Offer['candidate']): Charged {
  const estimatedInputTokens = estimateTokens(Buffer.byteLength(ask.request.body));
  const meter = new UsageMeter({ estimatedInputTokens, promptCountedAtStart: false });
  const usage = candidate.engine.readUsage(body);
  if (usage) meter.addReported(usage);
  // What was not reported is estimated: at least a word was written.
  if (meter.reportedOutputTokens === undefined) meter.holdBack(1);
  return charged(meter, { pricing: candidate.pricing, bound: boundOf(ask, candidate) }, 'usage', undefined);
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const PAUSES_MS = [250, 1_000];

/** The answer to one request; where its provider is busy for a moment, to the same request once more. */
async function answerTo(ask: Ask, candidate: Offer['candidate'], signal: AbortSignal): Promise<unknown> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await exchange(ask, candidate, signal);
    } catch (error) {
      const { mayTryAnother, kind } = failureOf(error, failedProvider(candidate));
      if (signal.aborted || !mayTryAnother || kind === 'timeout') throw error;
    }
    await sleep(pauseMs, undefined, { signal });
  }
  return exchange(ask, candidate, signal);
}

async function exchange({ request }: Ask, candidate: Offer['candidate'], signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const response = await connect(candidate, request, signal).send(request.body);
  const text = await readText(response.body, MAX_ANSWER_BYTES);
  if (response.status < 200 || response.status > 299) {
    throw refusalOfResponse(response, candidate.engine.readRefusal(text), failedProvider(candidate));
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UpstreamError('malformed', 'The provider sent an answer that is not JSON', error);
  }
}
