import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateEmbeddings } from '../../inference/estimates/estimate-embeddings.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';
import { embeddingsBody } from './fields.ts';

export const accepts = { ...embeddingsBody, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-embeddings', accepts, async (input) =>
  estimateAnswer(await estimateEmbeddings(input)),
);
