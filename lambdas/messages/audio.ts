/**
 * Audio in a prompt. The Messages API has no block for audio, so the gateway defines an `audio` block in the form of
 * `image`.
 */

/** Media types that all wires with audio support accept, by OpenAI's names for the formats. */
export const audioMediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;
export type AudioFormat = keyof typeof audioMediaTypes;
export const audioFormats = ['wav', 'mp3'] as const satisfies AudioFormat[];
/** Formats of audio in answers: speech is WAV or PCM, and music is MP3. */
export const answerAudioFormats = ['wav', 'pcm16', 'mp3'] as const;
export type AnswerAudioFormat = (typeof answerAudioFormats)[number];

/**
 * Returns OpenAI's name of an audio format.
 * @param mediaType media type that the block's schema has accepted
 */
export function audioFormatOf(mediaType: unknown): AudioFormat {
  return mediaType === audioMediaTypes.wav ? 'wav' : 'mp3';
}
