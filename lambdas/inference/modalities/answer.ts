import { forwardAnswer, type ClientStream, type ForwardedAnswer } from '../batch/forward-stream.ts';
import type { WireTarget } from '../../providers/wire.ts';
import { runBatch, batchTerms, type BatchResult, type BatchTerms } from '../batch/run-batch.ts';
import type { StreamedAnswer } from '../../providers/batch-engine.ts';
import type { InferenceInput } from '../inference-input.ts';
import { protectionOf } from '../protection-of.ts';
import { refuseEarly } from '../refuse-early.ts';
import type { BatchModality, WholeOf } from './modality.ts';
import { preparedInput, routeBatch } from './routed.ts';

export interface Answered<Result> extends Omit<BatchResult<never>, 'answer'> {
  result: Result;
}

/**
 * Returns a complete answer, after its settlement.
 * @throws {GatewayError} for a request that cannot be served or is not admitted, and if no provider answers
 */
export async function answerModality<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  input: InferenceInput<Body>,
): Promise<Answered<Result>> {
  const { own, terms } = await routedTerms(modality, input);
  const { answer, ...answered } = await runBatch(input, terms);
  const result = modality.resultOf(answer as WholeOf<Answer>, own);
  return { ...answered, result };
}

/**
 * Begins an answer that is forwarded while the provider sends it.
 * @throws {GatewayError} for a request that cannot be served or is not admitted, and if no answer begins
 */
export async function forwardModality<Body, Task, Answer, Event>(
  modality: BatchModality<Body, Task, Answer, unknown>,
  input: InferenceInput<Body>,
  form: ClientStream<Event>,
): Promise<ForwardedAnswer> {
  const { terms } = await routedTerms(modality, input);
  return forwardAnswer(input, terms as unknown as BatchTerms<Task, StreamedAnswer<Event>>, form);
}

async function routedTerms<Body, Task, Answer, Result>(
  modality: BatchModality<Body, Task, Answer, Result>,
  received: InferenceInput<Body>,
): Promise<{ own: Task; terms: BatchTerms<Task, Answer> }> {
  const input = await preparedInput(modality, received);
  const { apiType, maxAtOnce, isBilledWhole, outOfTime } = modality;
  const needs = async (unprotected: InferenceInput<Body>) => {
    const { offers } = await routeBatch(modality, unprotected, { protection: protectionOf(unprotected) });
    return { candidates: offers.map(({ candidate }) => candidate), terms: batchTerms(apiType, offers) };
  };
  const protection = protectionOf(input, () => refuseEarly(input, needs));
  const { task, own, offers } = await routeBatch(modality, input, { protection });
  const leftOut = (target: WireTarget) => modality.leftOut?.(input.body, target) ?? [];
  return { own, terms: { apiType, offers, task, leftOut, maxAtOnce, isBilledWhole, outOfTime } };
}
