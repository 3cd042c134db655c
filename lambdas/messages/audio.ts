/** The Messages API has no block for audio, so the gateway defines an `audio` block in the form of `image`. */

/** Media types of audio in prompts, by OpenAI's names for the formats. */
export const audioMediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;
export type AudioFormat = keyof typeof audioMediaTypes;
export const audioFormats = ['wav', 'mp3'] as const satisfies AudioFormat[];
export const answerAudioFormats = ['wav', 'pcm16', 'mp3'] as const;
export type AnswerAudioFormat = (typeof answerAudioFormats)[number];

/** Returns OpenAI's format name for an accepted media type. */
export function audioFormatOf(mediaType: unknown): AudioFormat {
  return mediaType === audioMediaTypes.wav ? 'wav' : 'mp3';
}
