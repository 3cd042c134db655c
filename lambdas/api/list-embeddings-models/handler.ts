import { modelsByModality, modelView } from '../../catalog/views.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { paginate } from '../../http/pages.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { request } from './schema.ts';

/** Paged when asked, because clients walk every list of models with offset and limit. */
export const handler = defineEndpoint('list-embeddings-models', request, ({ query }) => {
  const models = modelsByModality(resources.catalog(), ['embeddings']).map((model) => modelView(model));
  return jsonResponse(200, paginate(models, query, { pathname: '/v1/embeddings/models' }));
});
