import { someId } from '../../http/path-params.ts';

export const videoId = someId.meta({
  description: 'The id of a video, as POST /videos answers.',
  example: 'gen-01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
});
