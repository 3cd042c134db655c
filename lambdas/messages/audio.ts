/** Recordings in a prompt. The Messages API has no block for them: the block `audio` is the gateway's own, in the form of `image`. */

/** The media types that every wire with audio takes, by the names that OpenAI's APIs have for the formats. */
export const audioMediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;
export type AudioFormat = keyof typeof audioMediaTypes;
export const audioFormats = ['wav', 'mp3'] as const satisfies AudioFormat[];

/** @param mediaType one that the schema of the block has let pass */
export function audioFormatOf(mediaType: unknown): AudioFormat {
  return mediaType === audioMediaTypes.wav ? 'wav' : 'mp3';
}
