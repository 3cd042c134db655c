import { estimateVideo } from '../../inference/videos/estimate.ts';
import { videoRequestSchema } from '../../inference/videos/request.ts';
import { estimateEndpoint } from '../parts/estimate-endpoint.ts';

export const { accepts, handler } = estimateEndpoint('estimate-video', { body: videoRequestSchema }, estimateVideo);
