/** The Messages API has no block for audio, so the gateway defines an `audio` block in the form of `image`. */

/**
 * Media types of audio in prompts, by the names that clients use for the formats. Only Gemini accepts all of them:
 * https://ai.google.dev/gemini-api/docs/audio
 */
export const audioMediaTypes = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
} as const;
export type AudioFormat = keyof typeof audioMediaTypes;
export const audioFormats = ['wav', 'mp3', 'aac', 'aiff', 'flac', 'ogg'] as const satisfies AudioFormat[];
export const answerAudioFormats = ['wav', 'pcm16', 'mp3'] as const;
export type AnswerAudioFormat = (typeof answerAudioFormats)[number];

/** Returns OpenAI's format name for an accepted media type. */
export function audioFormatOf(mediaType: unknown): AudioFormat {
  return audioFormats.find((format) => audioMediaTypes[format] === mediaType) ?? 'mp3';
}
