/**
 * OpenAI's API for images, and servers with nearly the same API. Pictures are sent as data URLs in JSON.
 * https://developers.openai.com/api/docs/guides/image-generation
 */

import { isRecord, listOrEmpty, recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { StreamPart } from '../batch-engine.ts';
import { jsonEvents } from '../http/json-events.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { jsonRequest } from '../json-request.ts';
import { isOtherEvent } from '../other-event.ts';
import type { WireUsage } from '../../messages/types.ts';
import type { Drawing, DrawnEvent, DrawnImage, ImageCodec, ImageFile, ImageTarget } from './codec.ts';
import { pixelsOf } from './sizes.ts';

export const openaiImages: ImageCodec = {
  requestFor(drawing, target) {
    const { quirks, upstreamModel } = target;
    const { prompt, count, quality, background, output_format, output_compression, seed, moderation } = drawing;
    const { pictures, input_fidelity, partialImages } = drawing;
    const body = {
      model: upstreamModel,
      prompt,
      n: count,
      ...sizeFields(drawing, target),
      quality,
      background,
      output_format,
      output_compression,
      seed,
      moderation,
      response_format: quirks.response_format,
      ...(partialImages ? { stream: true, partial_images: partialImages } : {}),
    };
    if (pictures.length === 0) return jsonRequest('/images/generations', body);
    const pictured = {
      input_fidelity,
      images: pictures.map(openaiPicture),
      mask: drawing.mask && openaiPicture(drawing.mask),
    };
    return jsonRequest('/images/edits', { ...body, ...pictured });
  },

  imagesIn(body) {
    const images = itemsIn(body).flatMap(imageIn);
    if (images.length === 0 && itemsIn(body).some(isModerated)) {
      throw new UpstreamError('refused', 'The moderation of the provider refused the image');
    }
    return images;
  },

  decode: ({ body }, maxEventBytes) => imageEventsIn(jsonEvents(body, maxEventBytes)),

  readUsage(body) {
    const output_images = itemsIn(body).flatMap(imageIn).length;
    return usageOfImages(recordOrEmpty(body)['usage'], output_images);
  },
};

const IMAGE_EVENT = /^image_(?:generation|edit)\.(partial_image|completed)$/;

/** Yields the images. Servers that cannot stream respond with one document, which has the finished image. */
async function* imageEventsIn(events: AsyncIterable<unknown>): AsyncGenerator<StreamPart<DrawnEvent>, void> {
  for await (const event of events) {
    const { type, usage } = recordOrEmpty(event);
    const [, stage] = IMAGE_EVENT.exec(typeof type === 'string' ? type : '') ?? [];
    const [image] = imageIn(stage === undefined ? itemsIn(event)[0] : event);
    if (!image) {
      if (stage === undefined && isOtherEvent(event)) continue;
      yield { error: event };
      return;
    }
    const isPartial = stage === 'partial_image';
    yield { event: { image, isPartial }, ...(isPartial ? {} : { usage: usageOfImages(usage, 1) }) };
    if (!isPartial) return;
  }
  throw new UpstreamError('broken', 'The provider ended its answer before the finished image');
}

function usageOfImages(usage: unknown, output_images: number): WireUsage {
  return isRecord(usage) && typeof usage['output_tokens'] === 'number'
    ? { ...openaiImageTokens(usage), output_images }
    : { output_images };
}

function sizeFields(
  { size, aspect_ratio, resolution }: Drawing,
  { quirks: { size_form: form = 'size' } }: ImageTarget,
): object {
  if (form === 'aspect_ratio') return { aspect_ratio, resolution: resolution?.toLowerCase() };
  if (form === 'size' || size === undefined) return { size };
  const [width, height] = pixelsOf(size);
  return { width, height };
}

function openaiPicture({ mediaType, base64 }: ImageFile): { image_url: string } {
  return { image_url: `data:${mediaType};base64,${base64}` };
}

function itemsIn(body: unknown): unknown[] {
  return listOrEmpty(recordOrEmpty(body)['data']);
}

function imageIn(item: unknown): DrawnImage[] {
  const { b64_json: base64, url } = recordOrEmpty(item);
  if (typeof base64 === 'string' && base64 !== '') return [{ base64: withoutPrefix(base64) }];
  return typeof url === 'string' && url !== '' ? [{ url }] : [];
}

/** Returns whether xAI's moderation withheld an image. https://github.com/xai-org/xai-sdk-python (image.py) */
function isModerated(item: unknown): boolean {
  return recordOrEmpty(item)['respect_moderation'] === false;
}

/** Returns the base64 text without the start of a data URL, which some servers add. */
function withoutPrefix(base64: string): string {
  return base64.startsWith('data:') ? base64.slice(base64.indexOf(',') + 1) : base64;
}

/** Converts usage in tokens. Without details, all output tokens are for images (OpenAI's API reference). */
function openaiImageTokens(usage: Record<string, unknown>): WireUsage {
  const input = numberOr(usage['input_tokens'], 0);
  const output = numberOr(usage['output_tokens'], 0);
  const { image_tokens: pictures } = recordOrEmpty(usage['input_tokens_details']);
  const { image_tokens: drawn } = recordOrEmpty(usage['output_tokens_details']);
  const pictureTokens = Math.min(numberOr(pictures, 0), input);
  return {
    input_tokens: input - pictureTokens,
    image_input_tokens: pictureTokens,
    output_tokens: output,
    output_tokens_details: { image_tokens: numberOr(drawn, output) },
  };
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
