/** Converts requests of ElevenLabs' API (POST /speech-to-text) to requests of POST /audio/transcriptions. */

import * as z from 'zod';
import { formFileField, optionalField, refusedField, sourceUrl, urlFields } from '../../messages/field-kinds.ts';
import { labelFields } from '../../messages/label-fields.ts';
import { boundedList, refuse } from '../../messages/list-of.ts';
import { openBody, type OpenBody } from '../../messages/open-body.ts';
import { otherModels, routingField } from '../../messages/preferences.ts';
import type { Recording } from '../../providers/transcription/codec.ts';
import { languageOrAuto } from '../../inference/modalities/language-code.ts';
import { transcriptionFor } from '../../inference/modalities/transcription.ts';
import { keyword, MAX_KEYWORDS, type TranscriptionBody } from '../../inference/modalities/transcription-schema.ts';

const SPEAKERS_RULE = 'must be false: speakers are not told apart';
const ENTITIES_RULE = 'is not supported: the gateway finds no entities in transcripts';

const alwaysFalse = (rule: string) =>
  optionalField(z.literal(false, rule)).meta({ description: `This field ${rule}.` });

/**
 * Returns the schema of a field that must be absent. ElevenLabs' SDK for Python sends an absent field as the text
 * `null`.
 */
const nullText = (rule: string) => optionalField(z.literal('null', rule)).meta({ description: `This field ${rule}.` });

const switchedOff = {
  diarize: alwaysFalse(SPEAKERS_RULE),
  use_speaker_library: alwaysFalse(SPEAKERS_RULE),
  detect_speaker_roles: alwaysFalse(SPEAKERS_RULE),
  use_multi_channel: alwaysFalse('must be false: channels are not told apart'),
  webhook: alwaysFalse('must be false: the transcript is the answer'),
  no_verbatim: alwaysFalse('must be false: the transcript has all words'),
};

const convertedRecordingQuery = z.object({
  enable_logging: z.enum(['true', 'false']).optional().meta({
    description: 'With `false`, only endpoints that keep no data may answer, as with `provider.zdr`.',
  }),
});

const recordingFields = {
  model_id: z.string().min(1).max(200).meta({
    description: 'The id of a model that transcribes, such as `elevenlabs/scribe-v2` or `scribe_v2`.',
  }),
  file: optionalField(formFileField('must be a file of a form (multipart/form-data)')).meta({
    description: 'The recording, as a file of a form: wav, mp3, flac, m4a, ogg, webm or aac, of at most 25 MB.',
  }),
  source_url: optionalField(sourceUrl).meta({ description: 'The https address of the recording, in place of `file`.' }),
  cloud_storage_url: optionalField(sourceUrl).meta({ description: 'The older name of `source_url`.' }),
  language_code: optionalField(languageOrAuto).meta({
    description: 'The language that is spoken, such as `en` or `eng`; the provider detects it, if absent.',
  }),
  keyterms: optionalField(boundedList(keyword, { max: MAX_KEYWORDS })).meta({
    description: 'Up to 100 names and terms that may occur. Some models cost more with them.',
  }),
  temperature: optionalField(z.number().min(0).max(2)).meta({
    description: 'The sampling temperature, at most 1 for models of most other providers.',
  }),
  timestamps_granularity: optionalField(
    z.enum(['none', 'word'], 'must be "none" or "word": providers report no times of characters'),
  ).meta({
    description:
      'With `word`, only models that list `timestamp_granularities` answer, and the answer has words. If absent, the answer has words if the model returns them.',
  }),
  tag_audio_events: optionalField(z.boolean()).meta({
    description: 'Whether sounds such as laughter are written down. They are not, so `true` is left out.',
  }),
  file_format: optionalField(
    z.literal('other', 'must be "other": send the recording in a file of a known format'),
  ).meta({
    description: 'Only `other` is accepted: a recording is a file, not bare samples.',
  }),
  ...switchedOff,
  num_speakers: refusedField('is not supported: speakers are not told apart'),
  entity_detection: nullText(ENTITIES_RULE),
  entity_redaction: nullText(ENTITIES_RULE),
  webhook_metadata: nullText('is not supported, because the gateway calls no webhooks'),
  transcript_edit: refusedField('is not supported: the gateway edits no transcripts'),
  additional_formats: optionalField(
    boundedList(z.never('is not supported here; POST /audio/transcriptions returns subtitles')),
  ).meta({ description: 'Only an empty list is accepted; `POST /audio/transcriptions` returns subtitles.' }),
  provider: routingField,
  models: otherModels.meta({ description: 'Other models that are tried, in this order, if the first one fails.' }),
  ...labelFields,
  ...urlFields(convertedRecordingQuery.shape),
};
const RECORDING_FIELDS = ['file', 'source_url', 'cloud_storage_url'] as const;

const recordingBody = openBody(recordingFields, {
  ownNames: ['recording'],
  check: (body, context) => {
    const [first, second] = RECORDING_FIELDS.filter((name) => body[name] != null);
    if (first === undefined) refuse(context, { path: ['file'], message: 'is required: a file, or "source_url"' });
    if (second !== undefined) {
      refuse(context, { path: [second], message: `cannot be combined with "${first}"; send one recording` });
    }
    if (body.tag_audio_events && body.provider?.require_parameters) {
      refuse(context, { path: ['tag_audio_events'], message: 'is not supported, and require_parameters is true' });
    }
  },
});

interface ConvertedRecording extends z.output<typeof recordingBody.schema> {
  recording?: Recording;
}

const convertedRecording: OpenBody<ConvertedRecording> = {
  ...recordingBody,
  unknownIn: (body) => [
    ...recordingBody.unknownIn(body),
    ...((body as ConvertedRecording).tag_audio_events ? ['tag_audio_events'] : []),
  ],
};

export const convertedRecordingForm = {
  files: ['file'],
  maxFiles: 1,
  lists: ['keyterms', 'models'],
  numbers: ['temperature', 'num_speakers', 'seed'],
  booleans: ['tag_audio_events', ...Object.keys(switchedOff)],
  json: ['provider', 'additional_formats'],
  exactWithin: ['max_price'],
};

/** Names in ElevenLabs' API of the fields of POST /audio/transcriptions. */
const convertedRecordingNames = {
  model: 'model_id',
  url: 'source_url',
  language: 'language_code',
  keywords: 'keyterms',
  timestamp_granularities: 'timestamps_granularity',
};

/** Like `transcriptionModality`, for requests with the fields of ElevenLabs' API. */
export const convertedRecordingModality = transcriptionFor(convertedRecording, {
  requestOf: convertedRecordingRequest,
  query: convertedRecordingQuery,
  clientNames: convertedRecordingNames,
});

function convertedRecordingRequest(body: ConvertedRecording): TranscriptionBody {
  const { model_id: model, models, provider, file, recording, temperature } = body;
  const { language_code: language, keyterms: keywords, timestamps_granularity: granularity } = body;
  return {
    model,
    models,
    provider: body.enable_logging === 'false' ? { ...provider, zdr: true } : provider,
    file,
    url: body.source_url ?? body.cloud_storage_url,
    ...(recording ? { recording } : {}),
    temperature,
    language: language === 'auto' ? undefined : language,
    keywords,
    response_format: granularity === 'word' ? 'verbose_json' : 'json',
    timestamp_granularities: granularity === 'none' ? [] : ['word'],
  };
}
