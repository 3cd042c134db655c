/** Converts requests of ElevenLabs' API (POST /text-to-speech/{voice_id}) to requests of POST /audio/speech. */

import * as z from 'zod';
import type { SpeechFormat } from '../../catalog/quirk-values.ts';
import { optionalField, refusedField, urlFields } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList } from '../../messages/list-of.ts';
import { openBody } from '../../messages/open-body.ts';
import { otherModels, routingField } from '../../messages/preferences.ts';
import { languageCode } from '../../inference/modalities/language-code.ts';
import { speechFor } from '../../inference/modalities/speech.ts';
import { spokenText, voiceName, type SpeechRequest } from '../../inference/modalities/speech-schema.ts';

const ELEVENLABS_MODEL = 'eleven_multilingual_v2';
const ELEVENLABS_OUTPUT = 'mp3_44100_128';
/** Accepted output formats. Either the file states its own rates, or all models use the rate in the format's name. */
const outputFormats = [
  ELEVENLABS_OUTPUT,
  'mp3_22050_32',
  'mp3_24000_48',
  'mp3_44100_32',
  'mp3_44100_64',
  'mp3_44100_96',
  'opus_48000_32',
  'opus_48000_64',
  'opus_48000_96',
  'opus_48000_128',
  'pcm_24000',
  'wav_24000',
] as const;
/** Formats whose rates an endpoint may choose itself. */
const HAS_RATES = /^(?:mp3|opus)_/;
const MAX_SPEECH_SEED = 2 ** 32 - 1;
const MAX_CONTEXT_CHARACTERS = 40_000;

const settingShare = optionalField(z.number().min(0).max(1));
const contextText = optionalField(z.string().max(MAX_CONTEXT_CHARACTERS));

const textQuery = z.object({
  output_format: z
    .enum(outputFormats, `must be one of ${outputFormats.join(', ')}`)
    .optional()
    .meta({
      description: `The format of the sound; \`${ELEVENLABS_OUTPUT}\` if absent. Only ElevenLabs' models make exactly these rates of mp3 and opus.`,
    }),
  enable_logging: z.enum(['true', 'false']).optional().meta({
    description: 'With `false`, only endpoints that keep no data may answer, as with `provider.zdr`.',
  }),
  optimize_streaming_latency: z
    .string()
    .regex(/^[0-4]$/, 'must be a number from 0 to 4')
    .optional()
    .meta({ description: 'This field is accepted, and left out.' }),
});
const voicePath = z.object({
  voice_id: voiceName.meta({ description: 'The name or id of a voice of the model’s provider.', example: 'alto' }),
});

const textBody = openBody({
  text: spokenText,
  model_id: optionalField(z.string().min(1).max(200)).meta({
    description: `The id of a model that speaks, such as \`elevenlabs/eleven-v4\` or \`eleven_v4\`; \`${ELEVENLABS_MODEL}\` if absent.`,
  }),
  voice_settings: optionalField(
    z.strictObject({
      stability: settingShare.meta({ description: 'How even the voice is.' }),
      similarity_boost: settingShare.meta({ description: 'How closely the voice follows the original.' }),
      style: settingShare.meta({ description: 'How much the style of the voice is exaggerated.' }),
      use_speaker_boost: optionalField(z.boolean()).meta({ description: 'Whether the likeness is raised further.' }),
      speed: optionalField(z.number().min(0.25).max(4)).meta({ description: 'The factor of the usual speed.' }),
    }),
  ).meta({ description: 'Settings of the voice. Models that do not list `voice_settings` use only `speed`.' }),
  seed: optionalField(z.int().min(0).max(MAX_SPEECH_SEED)).meta({
    description: 'A number that makes similar speech from the same text, where the model takes one.',
  }),
  language_code: optionalField(languageCode).meta({
    description: 'The language of the text, where the model takes it.',
  }),
  previous_text: contextText.meta({ description: 'The text before this one, where the model takes it.' }),
  next_text: contextText.meta({ description: 'The text after this one, where the model takes it.' }),
  pronunciation_dictionary_locators: optionalField(
    boundedList(z.never('is not supported: the gateway keeps no dictionaries')),
  ).meta({ description: 'Only an empty list is accepted, because the gateway keeps no dictionaries.' }),
  audio_effects: refusedField('is not supported: no model here adds effects'),
  provider: routingField,
  models: otherModels.meta({
    description: 'Other models that are tried, in this order, if the first one cannot answer.',
  }),
  ...labelFields,
  ...urlFields({ ...textQuery.shape, ...voicePath.shape }),
});

type ConvertedText = z.output<typeof textBody.schema>;

/** Names in ElevenLabs' API of the fields of POST /audio/speech. */
const convertedTextNames = {
  model: 'model_id',
  input: 'text',
  voice: 'voice_id',
  response_format: 'output_format',
  speed: 'voice_settings.speed',
};

/** Like `speechModality`, for requests with the fields of ElevenLabs' API. */
export const convertedTextModality = speechFor({
  accepts: { body: textBody.schema, query: textQuery, params: voicePath },
  unknownIn: textBody.unknownIn,
  requestOf: convertedTextRequest,
  clientNames: convertedTextNames,
});

function convertedTextRequest(body: ConvertedText): SpeechRequest {
  const { text, model_id: model, models, provider, seed, language_code } = body;
  const { voice_id: voice, output_format: output, enable_logging, optimize_streaming_latency } = body;
  const { speed, ...settings } = body.voice_settings ?? {};
  const sentSettings = Object.entries(settings).filter(([, value]) => value != null);
  return {
    input: text,
    model: model ?? ELEVENLABS_MODEL,
    models,
    voice,
    speed,
    response_format: (output ?? ELEVENLABS_OUTPUT).split('_')[0] as SpeechFormat,
    provider: enable_logging === 'false' ? { ...provider, zdr: true } : provider,
    tuning: {
      voice_settings: sentSettings.length > 0 ? Object.fromEntries(sentSettings) : undefined,
      seed: seed ?? undefined,
      language_code: language_code ?? undefined,
      previous_text: body.previous_text || undefined,
      next_text: body.next_text || undefined,
      output_format: output && HAS_RATES.test(output) ? output : undefined,
      optimize_streaming_latency,
    },
  };
}
