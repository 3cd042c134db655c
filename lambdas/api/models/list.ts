import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { answerList, listQuery } from './answer-list.ts';

export const accepts = { query: listQuery, compress: compressed };

export const handler = definePublicEndpoint('list-models', accepts, async (asked) =>
  answerList({ models: (await servedCatalog()).models }, asked, '/v1/models'),
);
