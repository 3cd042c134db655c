import { modelsByModality } from '../../catalog/modalities.ts';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { resources } from '../../resources.ts';
import { answerConventionList, oneModalityQuery } from './answer-list.ts';

export const accepts = { query: oneModalityQuery, compress: compressed };

export const handler = definePublicEndpoint('list-embeddings-models', accepts, (asked) =>
  answerConventionList(
    { models: modelsByModality(resources.catalog(), ['embeddings']) },
    asked,
    '/v1/embeddings/models',
  ),
);
