import { decisionsRequestSchema, exactWithin } from '../../decisions/schema.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateDecision } from '../../inference/estimates/estimate-decision.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: decisionsRequestSchema, meanwhile: refreshSignals, exactWithin };

export const handler = defineEndpoint('estimate-decision', accepts, async (input) =>
  estimateAnswer(await estimateDecision(input)),
);
