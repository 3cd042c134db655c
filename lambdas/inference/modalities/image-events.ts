/** Forms of streamed images: the events of OpenRouter's API and of OpenAI's API. */

import type { Charged } from '../../accounting/charge.ts';
import { nowMs } from '../../platform/clock.ts';
import { errorEnvelope, type GatewayError } from '../../platform/errors.ts';
import { KEEP_ALIVE, sseEvent } from '../../platform/sse.ts';
import type { ImageEvent, ImageFile } from '../../providers/images/codec.ts';
import type { ClientStream } from '../batch/forward-stream.ts';
import { imageUsage, openaiImageUsage } from './image-usage.ts';

/** Events of one API. */
interface ImageEventForm {
  partial: (file: ImageFile, index: number) => { type: string };
  completed: (file: ImageFile, charged: Charged) => { type: string };
  failed: (error: GatewayError) => { type: string };
  /** Returns the bytes of an event. */
  write: (event: { type: string }) => string;
  /** Bytes after the last event, if the API has any. */
  end: string;
}

const nowSeconds = () => Math.floor(nowMs() / 1_000);
const finalCost = ({ cost, estimated }: Charged) => (estimated ? {} : { cost });

/**
 * Returns the form with the events of OpenRouter's API, which have no names. Its clients expect the code of an error as
 * text.
 */
export function imageEvents(requestId: string): ClientStream<ImageEvent> {
  return imageStream({
    partial: ({ base64 }, index) => ({
      type: 'image_generation.partial_image',
      partial_image_index: index,
      b64_json: base64,
    }),
    completed: ({ base64, mediaType }, charged) => ({
      type: 'image_generation.completed',
      b64_json: base64,
      media_type: mediaType,
      created: nowSeconds(),
      usage: { ...imageUsage(charged.usage, 1), ...finalCost(charged) },
    }),
    failed: (failure) => {
      const { error, ...envelope } = errorEnvelope(failure, requestId);
      return { ...envelope, error: { ...error, code: String(error.code) } };
    },
    write: (event) => `data: ${JSON.stringify(event)}\n\n`,
    end: 'data: [DONE]\n\n',
  });
}

/** Settings of a request that OpenAI's events repeat. */
interface RepeatedSettings {
  background?: string | null | undefined;
  quality?: string | null | undefined;
  size?: string | null | undefined;
}

/**
 * Returns the form with the events of OpenAI's API. Their names contain the route: `image_generation` or `image_edit`.
 */
export function openaiImageEvents(
  route: 'image_generation' | 'image_edit',
  { background, quality, size }: RepeatedSettings,
  requestId: string,
): ClientStream<ImageEvent> {
  const settled = ({ base64, mediaType }: ImageFile) => ({
    b64_json: base64,
    background: background ?? 'auto',
    created_at: nowSeconds(),
    output_format: mediaType.slice('image/'.length),
    quality: quality ?? 'auto',
    size: size ?? 'auto',
  });
  return imageStream({
    partial: (file, index) => ({ type: `${route}.partial_image`, ...settled(file), partial_image_index: index }),
    completed: (file, charged) => ({
      type: `${route}.completed`,
      ...settled(file),
      usage: { ...openaiImageUsage(charged.usage, 1), ...finalCost(charged) },
    }),
    failed: (failure) => errorEnvelope(failure, requestId),
    write: sseEvent,
    end: '',
  });
}

/**
 * Returns the converter for a stream. It delays the finished image until the charge is known, because the last event
 * also contains the usage.
 */
function imageStream({ partial, completed, failed, write, end }: ImageEventForm): ClientStream<ImageEvent> {
  let finished: ImageFile | undefined;
  return {
    contentType: 'text/event-stream; charset=utf-8',
    chunk: ({ file, partialIndex }) => {
      if (partialIndex !== undefined) return write(partial(file, partialIndex));
      finished = file;
      return undefined;
    },
    last: (charged) => write(completed(finished!, charged)) + end,
    failure: (error) => write(failed(error)) + end,
    comment: KEEP_ALIVE,
  };
}
