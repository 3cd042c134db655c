import type * as z from 'zod';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { InferenceRoute } from '../../http/endpoint.ts';
import type { JsonRules } from '../../http/json-body.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import type { Estimate, EstimateInput } from '../../inference/estimates/estimate.ts';
import { estimateModality } from '../../inference/modalities/estimate.ts';
import type { BatchModality } from '../../inference/modalities/modality.ts';
import { estimateAnswer } from './estimate-answer.ts';

/** @returns the endpoint that estimates requests with such a body */
export function estimateEndpoint<Body>(
  route: InferenceRoute,
  rules: JsonRules & { body: z.ZodType<Body> },
  estimate: (input: EstimateInput<Body>) => Promise<Estimate>,
) {
  const accepts = { ...rules, meanwhile: refreshSignals };
  return { accepts, handler: defineEndpoint(route, accepts, async (input) => estimateAnswer(await estimate(input))) };
}

/** @returns the endpoint that estimates requests of a modality */
export function modalityEstimate<Body, Task, Answer, Result>(
  route: InferenceRoute,
  modality: BatchModality<Body, Task, Answer, Result>,
) {
  return estimateEndpoint(route, modality.accepts, (input) => estimateModality(modality, input));
}
