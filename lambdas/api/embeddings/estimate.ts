import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { embeddingsModality } from '../../inference/modalities/embeddings.ts';
import { estimateModality } from '../../inference/modalities/estimate.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';
import { embeddingsBody } from './fields.ts';

export const accepts = { ...embeddingsBody, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-embeddings', accepts, async (input) =>
  estimateAnswer(await estimateModality(embeddingsModality, input)),
);
