import type { Charged } from '../../accounting/charge.ts';
import { runBatch, batchTerms } from '../batch/run-batch.ts';
import type { Asking } from '../batch/rounds.ts';
import type { InferenceInput } from '../inference-input.ts';
import { protectionOf } from '../protection-of.ts';
import { refuseEarly } from '../refuse-early.ts';
import type { UsableEndpoint } from '../../routing/usable-endpoints.ts';
import type { BatchModality, EngineCandidate } from './modality.ts';
import { routeBatch } from './routed.ts';

/** A whole answer, and the candidate that gave it. */
export interface Answered<Result> {
  candidate: UsableEndpoint;
  result: Result;
  charged: Charged;
}

/**
 * Answers everything that a request asks for, or nothing: candidates, hold, requests to a provider, settlement.
 * @throws {GatewayError} when the request goes nowhere, is not admitted, or nobody answers
 */
export async function answerModality<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  input: InferenceInput<Body>,
): Promise<Answered<Result>> {
  const { apiType, outOfTime, resultOf } = modality;
  const needs = async (unprotected: InferenceInput<Body>) => {
    const { offers } = await routeBatch(modality, unprotected, { protection: protectionOf(unprotected) });
    return { candidates: offers.map(({ candidate }) => candidate), terms: batchTerms(apiType, offers) };
  };
  const protection = protectionOf(input, () => refuseEarly(input, needs));
  const { task, own, offers } = await routeBatch(modality, input, { protection });
  const asked = await runBatch(input, { apiType, offers, ...askingOf(modality, task), outOfTime });
  return { candidate: asked.candidate, result: resultOf(asked.answer, own), charged: asked.charged };
}

/** How a task is asked for. */
export function askingOf<Task, Answer>(
  { maxAtOnce }: Pick<BatchModality<never, Task, Answer, never>, 'maxAtOnce' | 'engines'>,
  task: Task,
): Asking<EngineCandidate<Task, Answer>, Answer> {
  return { answerOf: ({ engine, target }, send) => engine.answer(task, target, send), maxAtOnce };
}
