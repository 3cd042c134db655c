import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressedOnce } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { answerList, listQuery } from './answer-list.ts';
import { recentList } from './recent-lists.ts';

export const accepts = { query: listQuery, compress: compressedOnce() };

const pathname = '/v1/models';

export const handler = definePublicEndpoint('list-models', accepts, async (input) => {
  const catalog = await servedCatalog();
  return recentList(catalog, input.request, pathname, () => answerList({ models: catalog.models }, input, pathname));
});
