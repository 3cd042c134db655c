import { z } from 'zod';
import { modelsByModality } from '../../catalog/modalities.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { paginate, pageQuery } from '../../http/pages.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import { modalitiesText, modalitiesParameter } from './fields.ts';
import type { ModelListAnswer } from './shape.ts';
import { modelView } from './view.ts';

export const accepts = { query: z.strictObject({ output_modalities: modalitiesParameter, ...pageQuery(1000) }) };

export const handler = defineEndpoint('list-models', accepts, ({ query }) => {
  const models = modelsByModality(resources.catalog(), query.output_modalities).map((model) => modelView(model));
  const link = { pathname: '/v1/models', query: { output_modalities: modalitiesText(query.output_modalities) } };
  return jsonResponse<ModelListAnswer>(200, paginate(models, query, link));
});
