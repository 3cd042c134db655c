import type { Charged } from '../../accounting/charge.ts';
import { isCancelled } from '../../accounting/ending.ts';
import { priceUsage } from '../../accounting/price.ts';
import { recordedUsage } from '../../accounting/recorded-usage.ts';
import { promptTokens, type TokenUsage } from '../../accounting/usage.ts';
import { Money } from '../../money/money.ts';
import { log, tripwires } from '../../platform/logger.ts';
import type { Ending, Outcome } from '../../store/outcome.ts';
import { hasOutput, type AnswerContext, type Attempted, type MeasuredAnswer } from './answer-context.ts';

/** Of an attempt that has not failed. */
const OK = 200;

/** What an answer came to, as the record keeps it. @param ending null while it goes on */
export function outcomeOf(answer: MeasuredAnswer, ending: Ending | null, charged: Charged): Outcome {
  const { context, attempted, meter } = answer;
  const { usage, cost, cacheSaved, estimated, exceeded, rounds = [] } = charged;
  const { model, endpoint, pricing } = attempted.candidate;
  const { firstEventAtMs, finishReason, nativeFinishReason } = meter;
  const failed = ending === 'refused_before' || ending === 'broke_off' || ending === 'out_of_time';
  return {
    cost,
    cacheSaved,
    serviceCost: serviceCostOf(attempted, usage),
    estimated,
    capped: exceeded,
    cancelled: ending === null || isCancelled({ ending, hasOutput: hasOutput(answer) }),
    ending,
    finishReason: finishReason ?? (failed ? 'error' : null),
    nativeFinishReason,
    model: model.id,
    modelPermaslug: model.data.permaslug,
    endpointId: endpoint.id,
    providerName: endpoint.provider.name,
    // The record has the prices of the first attempt already.
    pricing: attempted.candidate === context.attempts[0]!.candidate ? undefined : pricing,
    ...recordedUsage(usage),
    rounds: rounds.map(recordedUsage),
    searchRequests: usage.searchRequests ?? null,
    searchResults: searchResultsOf(answer),
    videoSeconds: null,
    ...attemptsOf(context),
    latencyMs: firstEventAtMs === undefined ? null : Math.round(firstEventAtMs - context.receivedAtMs),
    generationTimeMs: firstEventAtMs === undefined ? null : Math.round(performance.now() - firstEventAtMs),
  };
}

/** Counts the results of searches, shown to the client or to the model alone; null where no search ran. */
function searchResultsOf({ context, meter }: MeasuredAnswer): number | null {
  const unseen = context.search?.session.unseenResults ?? null;
  return unseen === null ? meter.searchResults : unseen + (meter.searchResults ?? 0);
}

/** What an answer of a free model costs the service; one that is not charged has no usage. */
function serviceCostOf({ candidate }: Attempted, usage: TokenUsage): Money | undefined {
  const { serviceCost } = candidate.endpoint;
  if (!serviceCost) return undefined;
  return promptTokens(usage) + usage.outputTokens === 0 ? Money.zero : priceUsage(usage, serviceCost).total;
}

/** The attempts before the one that answered, or was the last; and what the provider of that one answered with. */
function attemptsOf({ attempts, current }: AnswerContext): Pick<Outcome, 'failedAttempts' | 'providerStatus'> {
  const last = current.failure;
  const failedAttempts = current.failed
    .filter((failed) => failed !== last)
    .map(({ index, providerStatus, durationMs }) => {
      const { endpoint, model } = attempts[index]!.candidate;
      const { id: endpointId, provider } = endpoint;
      const modelPermaslug = model.data.permaslug;
      return { endpointId, modelPermaslug, providerName: provider.name, status: providerStatus, durationMs };
    });
  return { failedAttempts, providerStatus: last ? last.providerStatus : OK };
}

/** Some providers count a token or two beyond max_tokens. */
const USUAL_SLIP_TOKENS = 16;

/** Tripwires: a surprising report of a provider must neither be paid nor be dropped in silence. */
export function raiseAlarms(answer: MeasuredAnswer, outcome: Outcome, isCutByHold: boolean): void {
  const { context, attempted, meter } = answer;
  const { model, endpoint } = attempted.candidate;
  const { generationId } = context;
  const about = { generationId, model: model.id, provider: endpoint.provider.id, costRub: outcome.cost.toString() };
  if (outcome.capped && (isCutByHold || !isSlip(answer, outcome))) log('error', tripwires.usageBeyondHold, about);
  if (meter.unpriced.size > 0) {
    const reason = [...meter.unpriced].slice(0, 5).join(', ');
    log('error', tripwires.unpricedUsage, { ...about, reason });
  }
}

/** A usual slip is not worth a person's look, unless it costs more. */
function isSlip({ attempted, meter }: MeasuredAnswer, { promptTokens: chargedPromptTokens }: Outcome): boolean {
  const { outputTokens, promptTokens: mostPromptTokens } = attempted.quote.bound;
  const slipTokens = (meter.reportedOutputTokens ?? 0) - outputTokens;
  return slipTokens > 0 && slipTokens <= USUAL_SLIP_TOKENS && chargedPromptTokens < mostPromptTokens;
}
