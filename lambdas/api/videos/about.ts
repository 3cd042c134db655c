import { accepted, found, ok, tagged } from '../../http/about.ts';
import { noticeAnswer, videoAnswer } from './shape.ts';

const id = 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d';
const pollingUrl = `https://gateway.example/v1/videos/${id}`;
const video = { id, generation_id: id, polling_url: pollingUrl, status: 'pending' };

export const videos = tagged('Inference', {
  'create-video': {
    summary: 'Make a video',
    description:
      'Begins a job, and holds its whole price: seconds times the price of the resolution. What is left out is the first of the model’s own list (GET /videos/models). A video that is not made costs nothing.',
    bodyExample: {
      model: 'sandbox/filmmaker',
      prompt: 'A fox runs through the snow',
      duration: 5,
      resolution: '768p',
      aspect_ratio: '16:9',
    },
    success: accepted('The job as it is now.', videoAnswer, video),
    errors: ['not_found', 'payment_required'],
  },
  'get-video': {
    summary: 'Read how a video stands',
    description: 'Whoever may see its generation may see it. Asking often changes nothing.',
    success: ok('The job as it is now.', videoAnswer, {
      ...video,
      status: 'completed',
      unsigned_urls: [`${pollingUrl}/content?index=0`],
      usage: { cost: 62.5, is_byok: false },
    }),
  },
  'notice-video': {
    summary: 'Say that a video has moved on',
    description:
      'For providers, at an address that each is told with its job. What is sent is not believed: the gateway asks the provider how the job stands. A `challenge` is sent back.',
    success: ok('The notice was received; the gateway will ask the provider.', noticeAnswer, { received: true }),
    errors: ['not_found'],
  },
  'get-video-content': {
    summary: 'Get a file of a video',
    description: 'Redirects to an address that anybody can read it at for ten minutes, in ranges as well.',
    success: found('The file is at `Location`.'),
    errors: ['conflict', 'gone'],
  },
});
