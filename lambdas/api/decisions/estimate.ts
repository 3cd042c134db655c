import { decisionsRequestSchema, exactWithin } from '../../decisions/schema.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { decisionsModality } from '../../inference/modalities/decisions.ts';
import { estimateModality } from '../../inference/modalities/estimate.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: decisionsRequestSchema, meanwhile: refreshSignals, exactWithin };

export const handler = defineEndpoint('estimate-decision', accepts, async (input) =>
  estimateAnswer(await estimateModality(decisionsModality, input)),
);
