import { defineEndpoint } from '../../http/define-endpoint.ts';
import { refreshSignals } from '../../inference/endpoint-signals.ts';
import { estimateVideo } from '../../inference/estimates/estimate-video.ts';
import { videoRequestSchema } from '../../inference/videos/request.ts';
import { estimateAnswer } from '../parts/estimate-answer.ts';

export const accepts = { body: videoRequestSchema, meanwhile: refreshSignals };

export const handler = defineEndpoint('estimate-video', accepts, async (input) =>
  estimateAnswer(await estimateVideo(input)),
);
