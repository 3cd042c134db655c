import { modelsByModality, modelView } from '../../catalog/views.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { paginate } from '../../http/pages.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { modalitiesText } from '../shared/modalities-parameter.ts';
import { request } from './schema.ts';

export const handler = defineEndpoint('list-models', request, ({ query }) => {
  const models = modelsByModality(resources.catalog(), query.output_modalities).map((model) => modelView(model));
  const link = { pathname: '/v1/models', query: { output_modalities: modalitiesText(query.output_modalities) } };
  return jsonResponse(200, paginate(models, query, link));
});
