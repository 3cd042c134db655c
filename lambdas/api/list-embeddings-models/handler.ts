import { modelsByModality, modelView } from '../../catalog/views.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { paginate } from '../../http/pages.ts';
import { resources } from '../../resources.ts';
import { jsonResponse } from '../../http/response.ts';

export const handler = defineEndpoint('list-embeddings-models', {}, () => {
  const models = modelsByModality(resources.catalog(), ['embeddings']).map(modelView);
  return jsonResponse(200, paginate(models, {}, { pathname: '/v1/embeddings/models' }));
});
