import { modelsByModality } from '../../catalog/modalities.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { answerConventionList, oneModalityQuery } from './answer-list.ts';

export const accepts = { query: oneModalityQuery, compress: compressed };

export const handler = definePublicEndpoint('list-embeddings-models', accepts, async (asked) =>
  answerConventionList(
    { models: modelsByModality(await servedCatalog(), ['embeddings']) },
    asked,
    '/v1/embeddings/models',
  ),
);
