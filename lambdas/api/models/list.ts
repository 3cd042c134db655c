import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { resources } from '../../resources.ts';
import { answerList, listQuery } from './answer-list.ts';

export const accepts = { query: listQuery, compress: compressed };

export const handler = definePublicEndpoint('list-models', accepts, (asked) =>
  answerList({ models: resources.catalog().models }, asked, '/v1/models'),
);
