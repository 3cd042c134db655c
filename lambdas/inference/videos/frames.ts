import { pictureOfUrl } from '../../providers/data-url.ts';
import type { VideoRequest } from '../../providers/video/wire.ts';
import { pictureAsUrl } from '../pictures.ts';
import type { VideoBody } from './request.ts';

type FrameImage = NonNullable<VideoBody['frame_images']>[number];

/**
 * Reads the pictures with which a video begins or ends.
 * @throws {GatewayError} 400 naming the frame that cannot be read
 */
export function framesOf(
  images: readonly FrameImage[],
  signal: AbortSignal | undefined,
): Promise<VideoRequest['frames']> {
  return Promise.all(
    images.map(async ({ image_url: { url }, frame_type: frame }, index) => ({
      frame,
      ...pictureOfUrl(await pictureAsUrl(url, `frame_images.${index}.image_url.url`, signal)),
    })),
  );
}
