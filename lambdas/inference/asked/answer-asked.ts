import { cappedAt, chargedTogether, NOTHING_CHARGED, type Charged } from '../../accounting/charge.ts';
import { estimateTokens } from '../../accounting/usage.ts';
import type { HoldKeeper } from '../../admission/hold-keeper.ts';
import type { NewGeneration } from '../../admission/new-generation.ts';
import { clientHasLeft, GatewayError, gatewayStopping } from '../../platform/errors.ts';
import { resources } from '../../resources.ts';
import { abortBecause, abortInTime, abortReasonOf, abortWhenLeft, abortWhenStopping } from '../abort.ts';
import { AttemptLog } from '../attempt-log.ts';
import { GenerationReport } from '../generation-report.ts';
import { holdOrThrow, type HoldTerms } from '../hold-inference.ts';
import type { InferenceInput } from '../inference-input.ts';
import type { Surprises } from '../tripwires.ts';
import { planOf, type AskedCandidate, type AskedOffer } from './offers.ts';
import { askedOutcome } from './outcome.ts';
import { askEach, type AskedRound, type Asking } from './rounds.ts';

/** A function of the API is stopped after half a minute: what was answered until then has to be settled. */
const STOP_BEFORE_TIMEOUT_MS = 5_000;

export interface AskedTerms<Candidate extends AskedCandidate, Answer> extends Asking<Candidate, Answer> {
  apiType: NewGeneration['apiType'];
  /** At least one, the first one first. */
  offers: AskedOffer<Candidate>[];
  /** A client reads this whose request took longer than the gateway may run. */
  outOfTime: string;
}

/** The whole answer, by the candidate that gave it. */
export interface AnsweredAsked<Candidate, Answer> {
  candidate: Candidate;
  answer: Answer;
  charged: Charged;
}

/**
 * Answers everything that is asked, or nothing: hold, requests to a provider, settlement. One generation, which is charged for
 * what the provider that answered has read and written.
 * @throws {GatewayError} when the request is not admitted, or nobody answers
 */
export async function answerAsked<Candidate extends AskedCandidate, Answer>(
  input: InferenceInput<unknown>,
  terms: AskedTerms<Candidate, Answer>,
): Promise<AnsweredAsked<Candidate, Answer>> {
  const abort = new AbortController();
  try {
    return await answerUntil(abort, input, terms);
  } finally {
    // Its timer would keep all of the request until the function's time is over.
    abortBecause(abort, 'ended');
  }
}

async function answerUntil<Candidate extends AskedCandidate, Answer>(
  abort: AbortController,
  input: InferenceInput<unknown>,
  { apiType, offers, outOfTime, ...asking }: AskedTerms<Candidate, Answer>,
): Promise<AnsweredAsked<Candidate, Answer>> {
  const { caller, generationId } = input;
  // All that settlement needs is there before anything is held.
  const [table, queue, health] = [resources.table(), resources.queue('finalize-cost'), resources.health()];
  abortWhenLeft(abort, input.clientLeft);
  const held = await holdOrThrow(
    { table, bootId: resources.bootId() },
    { ...input, receivedAtMs: input.request.receivedAtMs },
    askedTerms(apiType, offers),
  );
  abortInTime(abort, input.remainingMs(), STOP_BEFORE_TIMEOUT_MS);
  abortWhenStopping(abort, input.stopping);
  const report = new GenerationReport({ table, queue, health }, { generationId, payer: caller.payer }, held);

  const { signal } = abort;
  const log = new AttemptLog(input.providerTime);
  const asked = await askEach(offers, asking, { signal, health, log, requestId: input.request.id });
  const charged = await withinLimits(chargedForAll(asked.rounds), held.keeper);
  const { receivedAtMs } = input.request;
  const outcome = askedOutcome(asked, charged, { offers, signal, receivedAtMs, log });
  const { candidate } = offers[log.index]!;
  await report.settle(outcome, { candidate, surprises: askedSurprises(asked.rounds, charged) });

  const { result } = asked;
  if ('failure' in result) throw failureToTell(result.failure, signal, outOfTime);
  return { candidate, answer: result.answer, charged };
}

/** What is held for an answer of several requests. */
export function askedTerms(apiType: NewGeneration['apiType'], offers: readonly AskedOffer[]): HoldTerms {
  const { candidate, bytes } = offers[0]!;
  return { apiType, streamed: false, estimatedTokens: estimateTokens(bytes), candidate, plan: planOf(offers) };
}

/** The price of all requests together. */
function chargedForAll(rounds: readonly AskedRound[]): Charged {
  return rounds.length > 0 ? chargedTogether(rounds) : NOTHING_CHARGED;
}

/** As far as the hold goes, which is raised where that is possible. */
async function withinLimits(measured: Charged, keeper: HoldKeeper): Promise<Charged> {
  return measured.cost.isZero ? measured : cappedAt(measured, await keeper.chargeable(measured.cost));
}

function askedSurprises(rounds: readonly AskedRound[], { isCutByHold }: Charged): Surprises {
  return {
    isBeyondHold: isCutByHold || rounds.some(({ surprises }) => surprises.isBeyondHold),
    unpriced: [...new Set(rounds.flatMap(({ surprises }) => surprises.unpriced))],
  };
}

function failureToTell(failure: GatewayError, signal: AbortSignal, outOfTime: string): GatewayError {
  const reason = abortReasonOf(signal);
  if (reason === 'client_left') return clientHasLeft(failure);
  if (reason === 'stopping') return gatewayStopping();
  return reason === 'out_of_time' ? new GatewayError('timeout', outOfTime) : failure;
}
