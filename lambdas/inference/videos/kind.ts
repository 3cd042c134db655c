import type { JobKind } from '../jobs/job-kind.ts';
import { videoView } from './view.ts';

/** Jobs that make videos. */
export const videoJobs: JobKind = {
  noun: 'video',
  path: '/videos',
  inputs: 'the prompt, the frames and the settings',
  // Most video files of providers have this type.
  mediaType: 'video/mp4',
  viewOf: videoView,
  unitsOf: ({ durationSeconds }) => ({ videoSeconds: durationSeconds }),
};
