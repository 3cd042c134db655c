import type { BatchCandidate } from '../batch/offers.ts';
import { runBatch, batchTerms, type BatchResult } from '../batch/run-batch.ts';
import type { InferenceInput } from '../inference-input.ts';
import { protectionOf } from '../protection-of.ts';
import { refuseEarly } from '../refuse-early.ts';
import type { BatchModality } from './modality.ts';
import { preparedInput, routeBatch } from './routed.ts';

/** A complete answer for the client, and the candidate that gave it. */
export interface Answered<Result> extends Omit<BatchResult<never>, 'answer'> {
  result: Result;
  /** Names of request fields that were not sent to the endpoint. */
  leftOut: readonly string[];
}

/**
 * Answers a decisions or embeddings request completely, or fails: finds candidates, places the hold, sends requests to
 * a provider, and settles.
 * @throws {GatewayError} if no provider can serve the request, the request is not admitted, or no provider answers
 */
export async function answerModality<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  received: InferenceInput<Body>,
): Promise<Answered<Result>> {
  const input = await preparedInput(modality, received);
  const { apiType, maxAtOnce, isBilledWhole, outOfTime, resultOf } = modality;
  const needs = async (unprotected: InferenceInput<Body>) => {
    const { offers } = await routeBatch(modality, unprotected, { protection: protectionOf(unprotected) });
    return { candidates: offers.map(({ candidate }) => candidate), terms: batchTerms(apiType, offers) };
  };
  const protection = protectionOf(input, () => refuseEarly(input, needs));
  const { task, own, offers } = await routeBatch(modality, input, { protection });
  const leftOut = ({ target }: BatchCandidate) => modality.leftOut?.(input.body, target) ?? [];
  const terms = { apiType, offers, task, leftOut, maxAtOnce, isBilledWhole, outOfTime };
  const { answer, ...answered } = await runBatch(input, terms);
  return { ...answered, leftOut: leftOut(answered.candidate), result: resultOf(answer, own) };
}
