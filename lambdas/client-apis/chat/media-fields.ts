/** Request fields of the Chat Completions API for answers with images, speech or music. */

import * as z from 'zod';
import { answerAudioFormats } from '../../messages/audio.ts';
import { optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import type { MessagesRequest } from '../../messages/types.ts';

const MODALITIES =
  'must be ["text"], ["image", "text"], ["image"] or ["text", "audio"]; leave it out for an answer of text';
const aspectRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;
const MAX_VOICE_CHARACTERS = 64;

export const mediaFields = {
  modalities: optionalField(
    boundedList(z.enum(['text', 'image', 'audio'], MODALITIES), { min: 1, max: 2 }).refine(isCombination, MODALITIES),
  ).meta({
    description:
      'The kinds of output that you want: `["image", "text"]` for images, in `message.images`, or `["text", "audio"]` for speech or music, in `message.audio`. Only models that list these `output_modalities` take them.',
  }),
  image_config: optionalField(
    z.strictObject({
      aspect_ratio: optionalField(z.enum(aspectRatios)).meta({ description: 'The shape of the images.' }),
      image_size: optionalField(z.enum(['512', '1K', '2K', '4K'])).meta({
        description: 'The size of the images, on models that let you choose it.',
      }),
    }),
  ).meta({ description: 'Settings of drawn images, if `modalities` includes `image`.' }),
  audio: optionalField(
    z.strictObject({
      voice: optionalField(
        z.string('must be the name of a voice, such as "alloy"').min(1).max(MAX_VOICE_CHARACTERS),
      ).meta({ description: 'The name of the voice, as the model’s provider has it. Models of music have none.' }),
      format: z.enum(answerAudioFormats, 'must be "wav" or "pcm16" for speech, and "mp3" for music').meta({
        description:
          'The format of the speech: `wav`, or `pcm16` (24 kHz, mono); streams have only `pcm16`. Music is `mp3`.',
      }),
    }),
  ).meta({
    description: 'Settings of the audio in the answer. Models that speak require them; models of music do not.',
  }),
};
type MediaFields = z.output<z.ZodObject<typeof mediaFields>>;

function isCombination(modalities: readonly string[]): boolean {
  return ['text', 'image', 'image,text', 'audio,text'].includes(modalities.toSorted().join());
}

/** Returns a contradiction between the fields, with the field to report; undefined if there is none. */
export function mediaFault(
  { modalities, image_config: image, audio }: MediaFields,
  isStreamed: boolean,
): { path: string[]; message: string } | undefined {
  const requests = (modality: 'image' | 'audio') => modalities?.includes(modality) === true;
  if (image && !requests('image')) return { path: ['image_config'], message: 'needs "image" in modalities' };
  if (audio && !requests('audio')) return { path: ['audio'], message: 'needs "audio" in modalities' };
  if (audio?.format === 'wav' && isStreamed) {
    return { path: ['audio', 'format'], message: 'must be "pcm16" in a stream, which has no length for a WAV header' };
  }
  return undefined;
}

/** Returns the fields in the gateway's form; empty if only text is requested. */
export function requestedMediaFields({
  modalities,
  image_config: image,
  audio,
}: MediaFields): Pick<MessagesRequest, 'modalities' | 'image_config' | 'audio'> {
  if (!modalities?.some((modality) => modality !== 'text')) return {};
  return {
    modalities,
    ...(image ? { image_config: image } : {}),
    ...(audio ? { audio: { voice: audio.voice ?? undefined, format: audio.format } } : {}),
  };
}
