import { z } from 'zod';
import { modelsByModality } from '../../catalog/modalities.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { paginate, pageQuery } from '../../http/pages.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import type { ModelListAnswer } from './shape.ts';
import { modelView } from './view.ts';

export const accepts = { query: z.strictObject(pageQuery(1000)) };

/** Paged on request, because clients read every list of models with offset and limit. */
export const handler = defineEndpoint('list-embeddings-models', accepts, ({ query }) => {
  const models = modelsByModality(resources.catalog(), ['embeddings']).map((model) => modelView(model));
  return jsonResponse<ModelListAnswer>(200, paginate(models, query, { pathname: '/v1/embeddings/models' }));
});
