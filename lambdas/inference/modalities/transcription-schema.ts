/** POST /audio/transcriptions has a multipart form as for OpenAI, or JSON as for OpenRouter. */

import * as z from 'zod';
import { recordingFormats } from '../../catalog/quirk-values.ts';
import { formFileField, optionalField, refusedField, refusedFieldsOf, sourceUrl } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, refuse } from '../../messages/list-of.ts';
import { openBody, type OpenBody } from '../../messages/open-body.ts';
import { providerPreferences } from '../../messages/preferences.ts';
import { BASE64_RULE, isBase64 } from '../../platform/base64.ts';
import { readDataUrl } from '../../platform/data-url.ts';
import type { Recording } from '../../providers/transcription/codec.ts';
import { languageCode, languageOrAuto } from './language-code.ts';

const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
const granularities = ['word', 'segment'] as const;
const MAX_PROMPT_CHARACTERS = 10_000;
export const MAX_KEYWORDS = 100;
const MAX_KEYWORD_CHARACTERS = 100;
const MAX_LANGUAGES = 10;

export const keyword = z.string().min(1).max(MAX_KEYWORD_CHARACTERS);

const transcriptionFields = {
  model: z.string().min(1).max(200).meta({
    description:
      'The id of a model that transcribes, such as `openai/gpt-transcribe`; GET /audio/transcriptions/models lists them.',
  }),
  file: optionalField(formFileField('must be a file of a form (multipart/form-data)')).meta({
    description: 'The recording, as a file of a form: wav, mp3, flac, m4a, ogg, webm or aac, of at most 25 MB.',
  }),
  input_audio: optionalField(
    z.strictObject({
      data: z
        .string()
        .overwrite((text) => readDataUrl(text)?.base64 ?? text)
        .min(1)
        .refine(isBase64, BASE64_RULE)
        .meta({ description: 'The bytes of the recording in base64, or a data URL.' }),
      format: optionalField(z.string()).meta({
        description: `The format of the recording, such as \`${recordingFormats[0]}\`. It has no effect, because the gateway reads the format from the bytes.`,
      }),
    }),
  ).meta({ description: 'The recording, in a body of JSON.' }),
  url: optionalField(sourceUrl).meta({
    description: 'The https address of the recording, for recordings that are too large for a request to this address.',
  }),
  language: optionalField(languageOrAuto).meta({
    description: 'The language that is spoken, such as `en` or `en-US`; the provider detects it, if absent or `auto`.',
  }),
  languages: optionalField(boundedList(languageCode, { max: MAX_LANGUAGES })).meta({
    description: 'Up to ten languages that may be spoken. Only models that list `languages` take several.',
  }),
  prompt: optionalField(z.string().max(MAX_PROMPT_CHARACTERS)).meta({
    description: 'A text that guides the spelling: what was said before, or what the recording is about.',
  }),
  keywords: optionalField(boundedList(keyword, { max: MAX_KEYWORDS })).meta({
    description: 'Up to 100 names and terms that may occur.',
  }),
  temperature: optionalField(z.number().min(0).max(1)).meta({ description: 'The sampling temperature of the model.' }),
  response_format: optionalField(z.enum(transcriptFormats)).meta({
    description:
      'The form of the answer: `json` (default), `verbose_json` with segments, or the texts `text`, `srt` and `vtt`. Segments need a model that lists `timestamp_granularities`.',
  }),
  timestamp_granularities: optionalField(boundedList(z.enum(granularities), { max: 2 })).meta({
    description:
      'With `verbose_json`: `segment` (default) and `word`. Other forms take only `segment`, without an effect.',
  }),
  diarize: optionalField(z.literal(false, 'must be false: speakers are not told apart')).meta({
    description: 'Only false is accepted, because speakers are not told apart.',
  }),
  provider: optionalField(providerPreferences).meta({
    description:
      'Preferences for routing: which endpoints (offers of the model by a provider) may answer, and in which order. A form has it as JSON text. Providers never see this field.',
  }),
  models: optionalField(boundedList(z.string().min(1).max(200), { max: 3 })).meta({
    description: 'Up to three more models, which are tried in this order if the first one fails.',
  }),
  stream: optionalField(z.boolean()).meta({
    description:
      'With true, the text comes as events (`transcript.text.delta`, `transcript.text.done`); needs the format `json` or `text`.',
  }),
  include: refusedField('is not supported: providers differ in the probabilities of tokens; leave it out'),
  ...refusedFieldsOf('is not supported: the gateway does not name speakers; leave it out', [
    'known_speaker_names',
    'known_speaker_references',
  ]),
  ...labelFields,
};
const SOURCES = ['file', 'input_audio', 'url'] as const;

const sentBody = openBody(transcriptionFields, {
  ownNames: ['recording'],
  check: (body, context) => {
    const sources = SOURCES.filter((name) => body[name] != null);
    if (sources.length === 0) {
      refuse(context, {
        path: ['file'],
        message: 'is required: send a file in a form, or "input_audio" or "url" in JSON',
      });
    } else if (sources.length > 1) {
      refuse(context, { path: [sources[1]!], message: `cannot be combined with "${sources[0]}"; send one recording` });
    }
    if (body.timestamp_granularities?.includes('word') && body.response_format !== 'verbose_json') {
      refuse(context, { path: ['timestamp_granularities'], message: 'needs the response_format "verbose_json"' });
    }
    if (body.stream && !['json', 'text'].includes(body.response_format ?? 'json')) {
      refuse(context, { path: ['stream'], message: 'needs the response_format "json" or "text"' });
    }
    if (body.language != null && body.languages?.length) {
      refuse(context, { path: ['languages'], message: 'cannot be combined with "language"; send one of them' });
    }
  },
});

export interface TranscriptionBody extends z.output<typeof sentBody.schema> {
  recording?: Recording;
}
/** Schema of the body. Its type includes the field `recording`, which the modality's `prepare` adds later. */
export const transcriptionBody: OpenBody<TranscriptionBody> = sentBody;

export const transcriptionForm = {
  files: ['file'],
  maxFiles: 1,
  lists: ['languages', 'keywords', 'timestamp_granularities', 'models', 'include'],
  numbers: ['temperature'],
  booleans: ['stream', 'diarize'],
  json: ['provider'],
  exactWithin: ['max_price'],
};
