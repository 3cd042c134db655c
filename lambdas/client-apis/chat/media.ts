/** Images (OpenRouter's form) and speech (OpenAI's form) in an answer of the chat API. */

import type { Block } from '../../messages/types.ts';
import { inWav } from './wav.ts';

export function isMedia({ type }: Block): boolean {
  return type === 'image' || type === 'audio';
}

/** Returns an image in the form of the chat API. */
export function chatImage({ source }: Block, index: number): object {
  const { type, media_type: mediaType, data, url } = source as Record<string, string>;
  return { index, type: 'image_url', image_url: { url: type === 'url' ? url : `data:${mediaType};base64,${data}` } };
}

/**
 * Returns the images and the speech of a whole answer.
 * @param createdAt seconds since 1970. Clients require the time at which a recording expires; it is this time if the
 *   provider names none.
 */
export function chatMedia(
  blocks: readonly Block[],
  { audioFormat }: { audioFormat?: 'wav' | 'pcm16' | undefined },
  createdAt: number,
): object {
  const images = blocks.filter(({ type }) => type === 'image').map(chatImage);
  const spoken = blocks.find(({ type }) => type === 'audio');
  return {
    ...(images.length > 0 ? { images } : {}),
    ...(spoken ? { audio: wholeSpeech(spoken, audioFormat, createdAt) } : {}),
  };
}

function wholeSpeech({ id, data, transcript, expires_at: expiresAt }: Block, format: string | undefined, at: number) {
  const pcm = data as string;
  return { id, data: format === 'wav' ? inWav(pcm) : pcm, expires_at: expiresAt ?? at, transcript };
}
