/**
 * Image generation by YandexART. A request starts an operation, which is polled until it contains the image.
 * https://yandex.cloud/en/docs/ai-studio/image-generation/api-ref/ImageGenerationAsync/generate
 */

import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { FollowUps } from '../batch-engine.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import type { ImageCodec } from './codec.ts';

const OPERATION_ID = /^[\w-]{1,100}$/;

export const yandexArtImages: ImageCodec = {
  requestFor({ prompt, aspect_ratio: ratio, seed }, { upstreamModel }) {
    const [widthRatio, heightRatio] = ratio?.split(':') ?? [];
    return jsonRequest('/foundationModels/v1/imageGenerationAsync', {
      modelUri: upstreamModel,
      messages: [{ text: prompt, weight: '1' }],
      generationOptions: {
        mimeType: 'image/jpeg',
        seed: seed === undefined ? undefined : String(seed),
        aspectRatio: ratio === undefined ? undefined : { widthRatio, heightRatio },
      },
    });
  },

  async imagesIn(body, _target, followUps) {
    const { id } = recordOrEmpty(body);
    if (typeof id !== 'string' || !OPERATION_ID.test(id)) {
      throw new UpstreamError('malformed', 'The provider started no operation');
    }
    return [{ base64: await finishedOperation(id, followUps) }];
  },

  readUsage: () => undefined,
};

/** Code of google.rpc.Status for an invalid request. Yandex also uses it if a filter rejects the prompt. */
const INVALID_ARGUMENT = 3;

async function finishedOperation(id: string, { poll }: FollowUps): Promise<string> {
  for (;;) {
    const { id: polledId, done, error, response } = recordOrEmpty(await poll(`/operations/${id}`));
    if (polledId === id && done !== true && error === undefined) continue;
    const { image } = recordOrEmpty(response);
    if (typeof image === 'string') return image;
    const { code } = recordOrEmpty(error);
    if (code === INVALID_ARGUMENT) throw new UpstreamError('refused', 'The provider refused the image');
    throw new UpstreamError('malformed', 'The operation of the provider ended without an image');
  }
}
