import { accepted, redirectTo, ok, tagged } from '../../http/about.ts';
import { estimateAbout } from '../parts/about.ts';
import { noticeAnswer, videoAnswer } from './shape.ts';

const id = 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d';
const pollingUrl = `https://gateway.example/v1/videos/${id}`;
const video = { id, generation_id: id, polling_url: pollingUrl, status: 'pending' };

const body = {
  model: 'sandbox/filmmaker',
  prompt: 'A fox runs through the snow',
  duration: 5,
  resolution: '768p',
  aspect_ratio: '16:9',
};

export const videos = tagged('Inference', {
  'create-video': {
    summary: 'Make a video',
    description:
      'Starts a job, whose state `GET /videos/{id}` shows. Its whole price is held (set aside) at once: seconds times the price of the resolution. A duration, resolution or aspect ratio that is left out is the first that `GET /videos/models` lists for the model. A video that is not made costs nothing.',
    bodyExample: body,
    success: accepted('The job as it is now.', videoAnswer, video),
    errors: ['not_found', 'payment_required'],
  },
  'estimate-video': estimateAbout({
    summary: 'Estimate a video',
    path: '/videos',
    bodyExample: body,
  }),
  'get-video': {
    summary: 'Read the state of a video',
    description:
      'The state of the job, and the addresses of its files once it is completed. A key of a member sees the videos of this member, any other key those of its workspace. Polling costs nothing, and has no effect on the job.',
    success: ok('The job as it is now.', videoAnswer, {
      ...video,
      status: 'completed',
      unsigned_urls: [`${pollingUrl}/content?index=0`],
      usage: { cost: 62.5, is_byok: false },
    }),
  },
  'notice-video': {
    summary: 'Notify the gateway of a change of a video',
    description:
      'For providers, not for clients: a provider gets the address with a job, and calls it when the job has changed. The gateway does not trust the content of the call: it requests the state of the job from the provider. A `challenge` in the request is sent back.',
    success: ok(
      'The notice was received. The gateway will request the state of the job from the provider.',
      noticeAnswer,
      { received: true },
    ),
    errors: ['not_found'],
  },
  'get-video-content': {
    summary: 'Get a file of a video',
    description:
      'Redirects to an address from which anybody can download the file for ten minutes, also in byte ranges.',
    success: redirectTo('The file is at `Location`.'),
    errors: ['conflict', 'gone'],
  },
});
