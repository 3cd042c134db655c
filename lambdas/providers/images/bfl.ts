/**
 * Image generation by Black Forest Labs. A request starts a job, which is polled at a URL of the provider. The image is
 * a file that expires after ten minutes. https://docs.bfl.ai/quick_start/generating_images
 */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { FollowUps } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import type { DrawnImage, ImageCodec, ImageFile } from './codec.ts';
import { pixelsOf } from './sizes.ts';

/** Domain of the provider. Each region has its own host in this domain. */
const BFL_DOMAIN = 'bfl.ai';
const RUNNING = new Set(['Pending', 'Queued', 'Processing', 'Preparing']);
const REFUSED_STATES = new Set(['Request Moderated', 'Content Moderated']);

export const bflImages: ImageCodec = {
  requestFor({ prompt, size, output_format, seed, pictures }, { upstreamModel }) {
    const [width, height] = size === undefined ? [] : pixelsOf(size);
    const sent = { prompt, width, height, output_format, seed, ...pictureFields(pictures) };
    return jsonRequest(`/v1/${upstreamModel}`, sent);
  },

  async imagesIn(body, _target, followUps): Promise<DrawnImage[]> {
    const { polling_url: place } = recordOrEmpty(body);
    if (typeof place !== 'string' || place.startsWith('/')) {
      throw new UpstreamError('malformed', 'The provider started no job');
    }
    return [{ url: await finishedJob(place, followUps) }];
  },

  // The provider reports no usage.
  readUsage: () => undefined,
};

/** Returns the pictures in the fields `input_image`, `input_image_2` and so on. */
function pictureFields(pictures: readonly ImageFile[]): Record<string, string> {
  const fields = pictures.map(({ base64 }, index) => [
    index === 0 ? 'input_image' : `input_image_${index + 1}`,
    base64,
  ]);
  return Object.fromEntries(fields) as Record<string, string>;
}

async function finishedJob(place: string, { poll }: FollowUps): Promise<string> {
  for (;;) {
    const { status, result } = recordOrEmpty(await poll(place, BFL_DOMAIN));
    const { sample } = recordOrEmpty(result);
    if (status === 'Ready' && typeof sample === 'string') return sample;
    if (typeof status === 'string' && REFUSED_STATES.has(status)) {
      throw new UpstreamError('refused', `The moderation of the provider refused the image: ${status}`);
    }
    if (typeof status !== 'string' || !RUNNING.has(status)) {
      throw new UpstreamError('malformed', 'The job of the provider ended without an image');
    }
  }
}
