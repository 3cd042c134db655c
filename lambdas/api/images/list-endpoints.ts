import * as z from 'zod';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { unknownModel } from '../../catalog/unknown-model.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { someId } from '../../http/path-params.ts';
import { jsonResponse } from '../../http/response.ts';
import { notFound } from '../../platform/errors.ts';
import type { ImageEndpointsAnswer } from './shape.ts';
import { drawingEndpoints, imageEndpointView } from './models-view.ts';

export const accepts = {
  params: z.object({
    author: someId.meta({ description: 'The part of the model’s id before the slash.', example: 'sandbox' }),
    slug: someId.meta({ description: 'The part of the model’s id after the slash.', example: 'painter' }),
  }),
};

export const handler = definePublicEndpoint('list-image-endpoints', accepts, async ({ params: { author, slug } }) => {
  const catalog = await servedCatalog();
  const name = `${author}/${slug}`;
  const model = catalog.meant(name);
  if (!model) throw unknownModel(catalog, name, 'slug');
  const endpoints = drawingEndpoints(model);
  if (endpoints.length === 0) throw notFound(`"${model.id}" draws no images.`, { field: 'slug' });
  return jsonResponse<ImageEndpointsAnswer>(200, { id: model.id, endpoints: endpoints.map(imageEndpointView) });
});
