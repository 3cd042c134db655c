import { modelsByModality } from '../../catalog/modalities.ts';
import { videoModelView } from './view.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { resources } from '../../resources.ts';
import { jsonResponse } from '../../http/response.ts';

export const handler = defineEndpoint('list-videos-models', {}, () =>
  jsonResponse(200, { data: modelsByModality(resources.catalog(), ['video']).map(videoModelView) }),
);
