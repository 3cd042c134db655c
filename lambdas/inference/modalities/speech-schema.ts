/** POST /audio/speech has the fields of OpenAI's and OpenRouter's APIs. */

import * as z from 'zod';
import { speechFormats } from '../../catalog/quirk-values.ts';
import { optionalField } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { openBody } from '../../messages/open-body.ts';
import { otherModels, providerPreferences } from '../../messages/preferences.ts';
import { characterCount, type FurtherTuning } from '../../providers/speech/codec.ts';

/** Maximum length of a text in characters: the highest maximum of the known providers. */
const MAX_SPOKEN_CHARACTERS = 40_000;
const MAX_INSTRUCTIONS_CHARACTERS = 10_000;
/**
 * Some servers have voices in folders, voices with spaces, and mixtures such as `af_bella(2)+af_sky(1)`. A voice may
 * become part of a URL, so `.` and `..` are refused.
 */
export const voiceName = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[\p{L}\p{M}\p{N} ._:+/(),'-]{1,200}$/u,
    "must be a name or id of letters, digits, spaces and . _ : + / ( ) , ' -",
  );

export const spokenText = z
  .string()
  .min(1)
  .refine((text) => /\S/.test(text), 'must have a character that is not white space')
  .refine(
    (text) => characterCount(text) <= MAX_SPOKEN_CHARACTERS,
    `must have at most ${MAX_SPOKEN_CHARACTERS} characters`,
  )
  .meta({
    description: 'The text to speak. Its maximum depends on the model; it is never more than 40,000 characters.',
  });

const instructionsField = optionalField(z.string().max(MAX_INSTRUCTIONS_CHARACTERS));

/** Preferences with `options`, in which clients of OpenRouter's API send instructions for the voice. */
const speechPreferences = providerPreferences.extend({
  options: optionalField(
    z.strictObject({
      openai: optionalField(
        z.strictObject({
          instructions: instructionsField.meta({ description: 'The same as `instructions` of the request.' }),
        }),
      ).meta({ description: 'Options that OpenAI’s own API has.' }),
    }),
  ).meta({ description: 'Options of providers, as clients of OpenRouter’s API send them.' }),
});

export const speechBody = openBody({
  model: z.string().min(1).max(200).meta({
    description:
      'The id of a model that speaks, such as `openai/gpt-4o-mini-tts`; GET /models?output_modalities=speech lists them.',
  }),
  input: spokenText,
  voice: optionalField(
    z.union([voiceName, z.strictObject({ id: voiceName.meta({ description: 'The id of a custom voice.' }) })], {
      error: 'must be the name or id of a voice, or an object with its "id"',
    }),
  ).meta({
    description:
      'The name or id of a voice of the model’s provider, or an object with the `id` of a custom voice. Without it the model’s default voice speaks; a model without one answers 400. `alloy`, which the AI SDK sends by default, counts as absent if the model has another default voice.',
  }),
  response_format: optionalField(z.enum(speechFormats)).meta({
    description:
      'The format of the sound; `mp3` if absent. `pcm` is 16-bit, 24 kHz, mono, without a header. A model that cannot make the format answers 400, which names the formats that it can make.',
  }),
  speed: optionalField(z.number().min(0.25).max(4)).meta({
    description: 'The factor of the usual speed, from 0.25 to 4. Models that do not list `speed` speak without it.',
  }),
  instructions: instructionsField.meta({
    description: 'How the text is to be spoken. Models that do not list `instructions` speak without them.',
  }),
  stream_format: optionalField(z.enum(['audio', 'sse'])).meta({
    description:
      'With `audio`, which is the default, the answer is the sound itself; with `sse` it is events with parts of the sound in base64. Both come while the provider sends them.',
  }),
  provider: optionalField(speechPreferences).meta({
    description:
      'Preferences for routing: which endpoints (offers of the model by a provider) may answer, and in which order. Providers never see this field.',
  }),
  models: otherModels.meta({
    description: 'Other models that are tried, in this order, if the first one cannot answer.',
  }),
  stream: optionalField(z.boolean()).meta({
    description: 'Accepted, and without an effect: speech is always streamed.',
  }),
  input_references: optionalField(z.never('is refused here: voices are not cloned; name a voice of the provider')).meta(
    {
      description: 'This field is refused, because voices are not cloned.',
    },
  ),
  ...labelFields,
});
export interface SpeechRequest extends z.output<typeof speechBody.schema> {
  /** Fields of ElevenLabs' API that the schema of this route lacks. */
  tuning?: FurtherTuning;
}
