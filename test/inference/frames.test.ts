import { expect, it } from 'vitest';
import { framesOf } from '../../lambdas/inference/videos/frames.ts';

it('a picture of a video may have the media type image/jpg', async () => {
  const picture = {
    type: 'image_url' as const,
    frame_type: 'first_frame' as const,
    image_url: { url: 'data:image/jpg;base64,AAAA' },
  };

  expect(await framesOf([picture], undefined)).toEqual([
    { frame: 'first_frame', mediaType: 'image/jpeg', base64: 'AAAA' },
  ]);
});
