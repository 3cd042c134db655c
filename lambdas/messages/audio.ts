/**
 * Audio recordings in a prompt. The Messages API has no block for them: `audio` is the gateway's own block, in the form
 * of `image`.
 */

/** Media types that every wire with audio accepts, by OpenAI's names of the formats. */
export const audioMediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;
export type AudioFormat = keyof typeof audioMediaTypes;
export const audioFormats = ['wav', 'mp3'] as const satisfies AudioFormat[];

/** @param mediaType media type that the schema of the block has accepted */
export function audioFormatOf(mediaType: unknown): AudioFormat {
  return mediaType === audioMediaTypes.wav ? 'wav' : 'mp3';
}
