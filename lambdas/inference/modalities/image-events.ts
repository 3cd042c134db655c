import { finalCost, type Charged } from '../../accounting/charge.ts';
import { promptTokens } from '../../accounting/usage.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { errorEnvelope } from '../../platform/errors.ts';
import { sseEvent, STREAM_DONE } from '../../platform/sse.ts';
import type { ImageEvent, ImageFile } from '../../providers/images/codec.ts';
import type { ClientStream } from '../batch/forward-stream.ts';
import { forwardedEvents } from './forwarded-events.ts';
import type { ImageBody } from './images-schema.ts';

export type ImageEventsFor = (requestId: string, body: ImageBody) => ClientStream<ImageEvent>;

interface ImageEventForm extends Pick<ClientStream<ImageEvent>, 'failure'> {
  partial: (file: ImageFile, index: number) => string;
  completed: (file: ImageFile, charged: Charged) => string;
}

const unnamedEvent = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** Events of OpenRouter's API, whose clients expect the code of an error as text. */
export function imageEvents(requestId: string): ClientStream<ImageEvent> {
  return imageStream(requestId, {
    partial: ({ base64 }, index) =>
      unnamedEvent({ type: 'image_generation.partial_image', partial_image_index: index, b64_json: base64 }),
    completed: ({ base64, mediaType }, charged) =>
      unnamedEvent({
        type: 'image_generation.completed',
        b64_json: base64,
        media_type: mediaType,
        created: nowSeconds(),
        usage: imageUsage(charged, 1),
      }) + STREAM_DONE,
    failure: (failure) => {
      const { error, ...envelope } = errorEnvelope(failure, requestId);
      return unnamedEvent({ ...envelope, error: { ...error, code: String(error.code) } }) + STREAM_DONE;
    },
  });
}

/**
 * Requested qualities that answers in OpenAI's format cannot state, each with the quality that the answer states
 * instead.
 */
const answeredQualities: Record<string, string | undefined> = { standard: 'medium', hd: 'high', premium: 'auto' };

/** Settings of the request that answers of OpenAI's API repeat; an absent setting becomes `auto`. */
export function repeatedSettings({ background, quality, size }: ImageBody) {
  const sent = quality ?? 'auto';
  return { background: background ?? 'auto', quality: answeredQualities[sent] ?? sent, size: size ?? 'auto' };
}

/** Events of OpenAI's API, which repeat settings of the request. */
export function openaiImageEvents(route: 'image_generation' | 'image_edit'): ImageEventsFor {
  return (requestId, body) => {
    const settled = ({ base64, mediaType }: ImageFile) => ({
      b64_json: base64,
      created_at: nowSeconds(),
      output_format: mediaType.slice('image/'.length),
      ...repeatedSettings(body),
    });
    return imageStream(requestId, {
      partial: (file, index) =>
        sseEvent({ type: `${route}.partial_image`, ...settled(file), partial_image_index: index }),
      completed: (file, charged) =>
        sseEvent({ type: `${route}.completed`, ...settled(file), usage: openaiImageUsage(charged, 1) }),
    });
  };
}

/** Returns a stream that keeps the finished image until its charge is known, because its event contains the charge. */
function imageStream(requestId: string, { partial, completed, ...form }: ImageEventForm): ClientStream<ImageEvent> {
  let finished: ImageFile | undefined;
  return forwardedEvents(requestId, {
    chunk: ({ file, partialIndex }) => {
      if (partialIndex !== undefined) return partial(file, partialIndex);
      finished = file;
      return undefined;
    },
    last: (charged) => completed(finished!, charged),
    ...form,
  });
}

/** Usage in the form of OpenRouter's API, in which `completion_tokens` counts all output. */
export function imageUsage({ usage, ...charged }: Charged, images: number) {
  const prompt = promptTokens(usage);
  const { outputTokens: completion, imageOutputTokens: drawn } = usage;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(drawn === undefined ? {} : { completion_tokens_details: { image_tokens: drawn } }),
    output_images: images,
    ...finalCost(charged),
  };
}

/** Usage in the form of OpenAI's API, which counts text and images separately. */
export function openaiImageUsage({ usage, ...charged }: Charged, images: number) {
  const prompt = promptTokens(usage);
  const { outputTokens: completion, imageOutputTokens: drawn = 0, imageInputTokens: pictures = 0 } = usage;
  return {
    input_tokens: prompt,
    input_tokens_details: { text_tokens: prompt - pictures, image_tokens: pictures },
    output_tokens: completion,
    output_tokens_details: { text_tokens: completion - drawn, image_tokens: drawn },
    total_tokens: prompt + completion,
    output_images: images,
    ...finalCost(charged),
  };
}
