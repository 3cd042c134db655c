import { modelsByModality } from '../../catalog/modalities.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { compressed } from '../../http/compressed.ts';
import { definePublicEndpoint } from '../../http/define-public-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import type { VideoModelListAnswer } from './shape.ts';
import { readReadiness } from '../parts/availability.ts';
import { videoModelView } from './view.ts';

export const handler = definePublicEndpoint('list-videos-models', { compress: compressed }, async () => {
  const models = modelsByModality(await servedCatalog(), ['video']);
  const isReady = await readReadiness(models);
  return jsonResponse<VideoModelListAnswer>(200, { data: models.map((model) => videoModelView(model, isReady)) });
});
