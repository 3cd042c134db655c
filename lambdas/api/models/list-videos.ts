import { modelsByModality } from '../../catalog/modalities.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { resources } from '../../resources.ts';
import type { VideoModelListAnswer } from './shape.ts';
import { videoModelView } from './view.ts';

export const handler = defineEndpoint('list-videos-models', {}, () =>
  jsonResponse<VideoModelListAnswer>(200, {
    data: modelsByModality(resources.catalog(), ['video']).map(videoModelView),
  }),
);
