import type { Catalog } from '../../../lambdas/catalog/catalog.ts';
import type { Question } from '../../../lambdas/decisions/question.ts';
import { logprobsEngine } from '../../../lambdas/providers/decisions/logprobs.ts';
import { wholeSend, type BatchRequest } from '../../../lambdas/providers/batch-engine.ts';
import { readText } from '../../../lambdas/providers/http/read-text.ts';
import { limitConcurrency } from '../../../lambdas/platform/concurrency/concurrency-limit.ts';
import { connect } from '../../../lambdas/routing/connection.ts';
import type { BatchCandidate } from '../../../lambdas/inference/batch/offers.ts';
import { decisionsModality } from '../../../lambdas/inference/modalities/decisions.ts';
import { engineCandidate } from '../../../lambdas/inference/modalities/modality.ts';
import { usableEndpoints } from '../../../lambdas/routing/usable-endpoints.ts';
import { StartFailure } from '../../shared/failure.ts';
import { fitTemperature, surprise, type Sample } from './fit.ts';
import { labelledQuestions, type KnownQuestion } from './questions.ts';

export interface Calibration {
  endpoint: string;
  questions: number;
  /** Number of questions in which the true option got the highest probability. */
  right: number;
  temperature: number;
  /** Mean negative log-probability of the true option in nats, without and with the fitted temperature. */
  surprise_before: number;
  surprise_after: number;
}

const TIMEOUT_MS = 60_000;
const MAX_AT_ONCE = 4;
const MAX_ANSWER_BYTES = 1024 * 1024;

/**
 * Sends questions with known answers to a model, and fits the temperature that makes its probabilities realistic. Uses
 * the model's first usable endpoint that decides by log-probabilities.
 * @throws {Error} if the model has no such endpoint, or a call fails
 */
export async function calibrate(catalog: Catalog, model: string): Promise<Calibration> {
  const request = { model, messages: [] };
  const signals = { isFailing: () => false, speedOf: () => undefined };
  const candidates = await usableEndpoints(
    { catalog, request, check: undefined },
    { exclusionOf: () => undefined, signals, promptTokens: 0 },
    { makes: decisionsModality.makes, toCandidate: (usable) => engineCandidate(decisionsModality, usable) },
  );
  const candidate = candidates.find(({ engine }) => engine === logprobsEngine);
  if (!candidate)
    throw new StartFailure(`No endpoint of "${model}" decides by log-probabilities. Choose another model.`);
  const inTurn = limitConcurrency(MAX_AT_ONCE);
  const samples = await Promise.all(
    labelledQuestions.map((known, index) => inTurn(async () => sampleOf(known, index, candidate))),
  );
  const temperature = Number(fitTemperature(samples).toFixed(2));
  return {
    endpoint: candidate.endpoint.id,
    questions: samples.length,
    right: samples.filter(({ probabilities, truth }) => best(probabilities) === best(truth)).length,
    temperature,
    surprise_before: Number(surprise(samples, 1).toFixed(4)),
    surprise_after: Number(surprise(samples, temperature).toFixed(4)),
  };
}

async function sampleOf(
  { state, instructions, options }: KnownQuestion,
  index: number,
  candidate: BatchCandidate,
): Promise<Sample> {
  // Rotates the options, so that the position of the true option varies between questions.
  const shift = index % options.length;
  const shown = [...options.slice(shift), ...options.slice(0, shift)];
  const question: Question = { type: 'choice', instructions, options: shown.map((text) => ({ key: text, text })) };
  const { target } = candidate;
  const plain = { ...target, quirks: { ...target.quirks, temperature: 1 } };
  const send = wholeSend(async ({ request }: BatchRequest): Promise<unknown> => {
    const answer = await connect(candidate, request, AbortSignal.timeout(TIMEOUT_MS)).send(request.body);
    const text = await readText(answer.body, MAX_ANSWER_BYTES);
    if (answer.status !== 200) throw new StartFailure(`The provider answered with status ${answer.status}`);
    return JSON.parse(text);
  });
  const [verdict] = await logprobsEngine.answer({ state, questions: [question] }, plain, send);
  const truth = shown.map((text) => (text === options[0] ? 1 : 0));
  return { probabilities: verdict!.probabilities, truth };
}

function best(values: readonly number[]): number {
  return values.indexOf(Math.max(...values));
}
