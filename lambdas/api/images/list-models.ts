import { modelsByModality } from '../../catalog/modalities.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { readReadiness } from '../parts/availability.ts';
import type { ImageModelListAnswer } from './shape.ts';
import { drawingEndpoints, imageModelView } from './models-view.ts';

export const handler = definePublicEndpoint('list-images-models', { compress: compressed }, async () => {
  const models = modelsByModality(await servedCatalog(), ['image']);
  const drawing = models.filter((model) => drawingEndpoints(model).length > 0);
  const isReady = await readReadiness(drawing);
  return jsonResponse<ImageModelListAnswer>(200, { data: drawing.map((model) => imageModelView(model, isReady)) });
});
