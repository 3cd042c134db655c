import type { AnswerAudioFormat } from '../../messages/audio.ts';
import type { Block } from '../../messages/types.ts';
import { wavHeader } from '../../platform/wav-header.ts';

export function isMedia({ type }: Block): boolean {
  return type === 'image' || type === 'audio';
}

/** Converts an image block to the form of the Chat Completions API. */
export function chatImage({ source }: Block, index: number): object {
  const { type, media_type: mediaType, data, url } = source as Record<string, string>;
  return { index, type: 'image_url', image_url: { url: type === 'url' ? url : `data:${mediaType};base64,${data}` } };
}

/**
 * Returns the members of a message for its images and speech. Some clients require `expires_at`: without one,
 * `createdAt` (epoch seconds) is used.
 */
export function chatMedia(
  blocks: readonly Block[],
  { audioFormat }: { audioFormat?: AnswerAudioFormat | undefined },
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
  return { id, data: format === 'wav' ? wavOf(pcm) : pcm, expires_at: expiresAt ?? at, transcript };
}

/** Sample rate of audio that chat models send. */
const SAMPLES_PER_SECOND = 24_000;

/** Returns a WAV file in base64 for PCM samples in base64. */
function wavOf(pcm: string): string {
  const samples = Buffer.from(pcm, 'base64');
  return Buffer.concat([wavHeader(SAMPLES_PER_SECOND, { dataBytes: samples.length }), samples]).toString('base64');
}
