/**
 * Image generation by Stability's models and Nova Canvas with Bedrock's InvokeModel.
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-diffusion-stable-ultra-text-image-request-response.html
 * https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html
 */

import { listOrEmpty, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import type { ImageCodec, ImageTarget } from './codec.ts';
import { pixelsOf } from './sizes.ts';

/** Strength with which Stability's models change an input image: the default of Stability's own API. */
const CHANGE_STRENGTH = 0.7;

const textsIn = (list: unknown) =>
  listOrEmpty(list)
    .map(textOrAbsent)
    .filter((text) => text !== undefined);
const imageInvokePath = ({ upstreamModel }: ImageTarget) => `/model/${encodeURIComponent(upstreamModel)}/invoke`;
const invokedImages = (body: unknown) => textsIn(recordOrEmpty(body)['images']);

export const stabilityImages: ImageCodec = {
  requestFor({ prompt, aspect_ratio, output_format, seed, pictures: [picture] }, target) {
    const plain = { prompt, output_format, seed };
    const body = picture
      ? { ...plain, mode: 'image-to-image', image: picture.base64, strength: CHANGE_STRENGTH }
      : { ...plain, mode: 'text-to-image', aspect_ratio };
    return jsonRequest(imageInvokePath(target), body);
  },

  imagesIn(body) {
    const [reason] = textsIn(recordOrEmpty(body)['finish_reasons']);
    if (reason?.startsWith('Filter reason')) {
      throw new UpstreamError('refused', `The filters of the model refused the image: ${reason.slice(0, 60)}`);
    }
    return invokedImages(body).map((base64) => ({ base64 }));
  },

  readUsage: (body) => ({ output_images: invokedImages(body).length }),
};

export const novaImages: ImageCodec = {
  requestFor({ prompt, count, size, quality, seed, pictures }, target) {
    const [width, height] = size === undefined ? [] : pixelsOf(size);
    const imageGenerationConfig = { numberOfImages: count, width, height, quality, seed };
    const images = pictures.map(({ base64 }) => base64);
    const body =
      images.length === 0
        ? { taskType: 'TEXT_IMAGE', textToImageParams: { text: prompt } }
        : { taskType: 'IMAGE_VARIATION', imageVariationParams: { text: prompt, images } };
    return jsonRequest(imageInvokePath(target), { ...body, imageGenerationConfig });
  },

  imagesIn(body) {
    const images = invokedImages(body);
    const { error } = recordOrEmpty(body);
    if (images.length === 0 && typeof error === 'string') {
      throw new UpstreamError('refused', 'The filters of the model withheld the images');
    }
    return images.map((base64) => ({ base64 }));
  },

  readUsage: (body) => ({ output_images: invokedImages(body).length }),
};
