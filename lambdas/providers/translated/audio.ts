import { audioFormatOf, type AudioFormat } from '../../messages/audio.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { Block } from '../../messages/types.ts';
import type { WireTarget } from '../wire.ts';

const NO_AUDIO =
  'this model does not accept audio; send the words as text, or use a model with audio in its input_modalities';

/**
 * Returns the format and the data of an audio block.
 * @throws {GatewayError} 400 if the endpoint lists its modalities without audio
 */
export function inlineAudio(
  block: Block,
  path: string,
  { inputModalities }: Pick<WireTarget, 'inputModalities'>,
): { format: AudioFormat; data: string } {
  if (inputModalities && !inputModalities.includes('audio')) throw audioRefusal(path);
  const { media_type: mediaType, data } = block['source'] as { media_type: string; data: string };
  return { format: audioFormatOf(mediaType), data };
}

/** Returns the error for audio that the model does not accept. */
export function audioRefusal(path: string): Error {
  return invalidRequest(`${path}.type`, NO_AUDIO);
}
