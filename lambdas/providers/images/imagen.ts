/**
 * Image generation by Imagen with the Gemini API, which reports no usage. https://ai.google.dev/gemini-api/docs/imagen
 */

import { isRecord, listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import type { ImageCodec } from './codec.ts';

export const imagenImages: ImageCodec = {
  requestFor: ({ prompt, count, aspect_ratio: aspectRatio, resolution }, { upstreamModel }) =>
    jsonRequest(`/models/${upstreamModel}:predict`, {
      instances: [{ prompt }],
      parameters: { sampleCount: count, aspectRatio, imageSize: resolution },
    }),

  imagesIn(body) {
    const images = predictedImages(body);
    if (images.length > 0) return images.map((base64) => ({ base64 }));
    const filtered = predictionsIn(body).some((prediction) => typeof prediction['raiFilteredReason'] === 'string');
    // An answer without predictions means that filters withheld all images.
    if (filtered || (isRecord(body) && Object.keys(body).length === 0)) {
      throw new UpstreamError('refused', 'The filters of the model withheld the images');
    }
    return [];
  },

  readUsage: (body) => ({ output_images: predictedImages(body).length }),
};

function predictionsIn(body: unknown): Record<string, unknown>[] {
  return listOrEmpty(recordOrEmpty(body)['predictions']).map(recordOrEmpty);
}

function predictedImages(body: unknown): string[] {
  return predictionsIn(body).flatMap(({ bytesBase64Encoded: base64 }) => (typeof base64 === 'string' ? [base64] : []));
}
