/** Strict fakes of transcription providers, from their API references. */

import * as z from 'zod';
import type { WireRequest } from '../../lambdas/providers/wire.ts';
import { strictFake, type Rule, type StrictFake } from './rules.ts';

type RecordingRequest = WireRequest<string | Buffer>;

/** Reads a request into the object that a fake checks. */
type ReadRequest = (request: RecordingRequest) => Promise<object>;

/** Reads a form. Fields for lists become lists, a file becomes its name, and `#last` is the name of the last field. */
async function formFields({ headers, body }: RecordingRequest): Promise<object> {
  const form = await new Response(new Uint8Array(body as Buffer), { headers }).formData();
  const names = [...new Set(form.keys())];
  const valuesOf = (name: string) => form.getAll(name).map((value) => (typeof value === 'string' ? value : value.name));
  const lists = new Set(['context_bias', 'keyterm', 'keyterms']);
  const isList = (name: string) => name.endsWith('[]') || lists.has(name);
  const fields = names.map((name) => [name, isList(name) ? valuesOf(name) : valuesOf(name).join()] as const);
  return { ...Object.fromEntries(fields), '#last': names.at(-1) };
}

const queryFields: ReadRequest = async ({ path, headers }) => {
  const { searchParams } = new URL(path, 'https://provider.test');
  const names = [...new Set(searchParams.keys())];
  const fields = names.map((name) => [name, name === 'keyterm' ? searchParams.getAll(name) : searchParams.get(name)]);
  return { ...(Object.fromEntries(fields) as object), '#type': headers['content-type'] };
};

const jsonBody: ReadRequest = async ({ body }) => JSON.parse(String(body)) as object;

const number = (min: number, max: number) =>
  z.string().refine((text) => Number(text) >= min && Number(text) <= max, `must be between ${min} and ${max}`);
const fileName = z.string().regex(/\.(?:flac|mp3|mp4|mpeg|mpga|m4a|ogg|wav|webm|aac)$/);
const language = z.string().regex(/^[a-z]{2,3}$/);
const granularities = z.array(z.enum(['word', 'segment']));
const last = z.string();

const openai = 'https://developers.openai.com/api/reference/resources/audio/subresources/transcriptions/methods/create';
const openaiBase = {
  model: z.string(),
  file: fileName,
  prompt: z.string().optional(),
  temperature: number(0, 1).optional(),
  language: language.optional(),
  '#last': last,
};
/**
 * Returns the form that a model accepts. `gpt-transcribe` accepts lists of languages and keywords, and no fields for
 * times.
 */
const openaiForm = (model: string) =>
  model === 'gpt-transcribe'
    ? z.strictObject({
        ...openaiBase,
        language: z.never().optional(),
        'languages[]': z.array(language).optional(),
        'keywords[]': z.array(z.string()).optional(),
        response_format: z.literal('json'),
      })
    : model.startsWith('gpt-4o')
      ? z.strictObject({ ...openaiBase, response_format: z.enum(['json', 'text']) })
      : z.strictObject({
          ...openaiBase,
          response_format: z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt']),
          'timestamp_granularities[]': granularities.optional(),
        });

const mistral = 'https://docs.mistral.ai/api/endpoint/audio/transcriptions';
const mistralForm = z.strictObject({
  model: z.string(),
  file: fileName,
  language: language.optional(),
  temperature: number(0, 2).optional(),
  // https://docs.mistral.ai/studio/audio/migrate-from-voxtral-2: Voxtral 3 answers 400 to `word`.
  timestamp_granularities: z.literal('segment').optional(),
  diarize: z.enum(['true', 'false']).optional(),
  context_bias: z
    .array(z.string().regex(/^[^\s,]+$/))
    .max(100)
    .optional(),
  '#last': last,
});
const mistralRules: Rule<Record<string, unknown>>[] = [
  {
    source: mistral,
    refuses: ({ read }) =>
      read['language'] !== undefined &&
      read['timestamp_granularities'] !== undefined &&
      'language cannot be combined with timestamp_granularities',
  },
];

const groq = 'https://console.groq.com/docs/api-reference#audio-transcription';
const groqForm = z.strictObject({
  ...openaiBase,
  response_format: z.enum(['json', 'text', 'verbose_json']),
  'timestamp_granularities[]': granularities.optional(),
});
const groqRules: Rule<Record<string, unknown>>[] = [
  {
    source: groq,
    refuses: ({ read }) =>
      read['timestamp_granularities[]'] !== undefined &&
      read['response_format'] !== 'verbose_json' &&
      'timestamp_granularities needs verbose_json',
  },
];

const elevenlabs = 'https://elevenlabs.io/docs/api-reference/speech-to-text/convert';
const elevenlabsForm = z.strictObject({
  model_id: z.enum(['scribe_v1', 'scribe_v2']),
  file: fileName,
  language_code: language.optional(),
  tag_audio_events: z.enum(['true', 'false']).optional(),
  timestamps_granularity: z.enum(['none', 'word', 'character']).optional(),
  diarize: z.enum(['true', 'false']).optional(),
  temperature: number(0, 2).optional(),
  keyterms: z.array(z.string().max(50)).max(100).optional(),
  '#last': last,
});

const xai = 'https://docs.x.ai/developers/rest-api-reference/inference/speech-to-text';
const xaiForm = z.strictObject({
  file: fileName,
  language: language.optional(),
  format: z.enum(['true', 'false']).optional(),
  keyterm: z.array(z.string().max(50)).max(100).optional(),
  '#last': z.literal('file'),
});
const xaiRules: Rule<Record<string, unknown>>[] = [
  { source: xai, refuses: ({ read }) => read['format'] !== undefined && !read['language'] && 'format needs language' },
];

const deepgram = 'https://developers.deepgram.com/reference/speech-to-text/listen-pre-recorded';
const deepgramQuery = z.strictObject({
  model: z.string(),
  smart_format: z.enum(['true', 'false']).optional(),
  detect_language: z.literal('true').optional(),
  language: z.string().optional(),
  keyterm: z.array(z.string()).max(100).optional(),
  '#type': z.string().regex(/^audio\//),
});

const google = 'https://ai.google.dev/api/generate-content';
const googleBody = z.strictObject({
  contents: z.array(
    z.strictObject({
      role: z.literal('user'),
      parts: z.array(
        z.union([
          z.strictObject({
            inlineData: z.strictObject({
              mimeType: z.enum(['audio/wav', 'audio/mpeg', 'audio/flac', 'audio/ogg', 'audio/aac', 'audio/mp4']),
              data: z.base64(),
            }),
          }),
          z.strictObject({ text: z.string().min(1) }),
        ]),
      ),
    }),
  ),
  generationConfig: z.strictObject({
    temperature: z.number().min(0).max(2).optional(),
    maxOutputTokens: z.int().positive().optional(),
  }),
  // https://ai.google.dev/gemini-api/docs/logs-datasets
  store: z.literal(false),
});

const yandex = 'https://yandex.cloud/en/docs/speechkit/stt/api/request-api';
const yandexQuery = z
  .strictObject({
    topic: z.enum(['general', 'general:rc', 'general:deprecated']),
    lang: z
      .string()
      .regex(/^([a-z]{2}-[A-Z]{2}|auto)$/)
      .optional(),
    format: z.enum(['lpcm', 'oggopus']),
    sampleRateHertz: z.enum(['48000', '16000', '8000']).optional(),
  })
  .loose();

/** Maximum duration of a recording in seconds, by the provider's name of the model. */
export const longestRecordings: Record<string, number> = {
  'gpt-4o-transcribe': 1_400,
  'gpt-4o-mini-transcribe': 1_400,
};
const longest = 'https://github.com/rishikanthc/Scriberr/issues/477';

export const transcriptionSources = [longest, openai, mistral, groq, elevenlabs, xai, deepgram, google, yandex];

interface TranscriptionFake {
  read: ReadRequest;
  fake: StrictFake;
}

export const transcriptionFakes: Record<string, TranscriptionFake> = {
  openai: { read: formFields, fake: strictFake(openaiForm, []) },
  groq: { read: formFields, fake: strictFake(groqForm, groqRules) },
  mistral: { read: formFields, fake: strictFake(mistralForm, mistralRules) },
  elevenlabs: { read: formFields, fake: strictFake(elevenlabsForm, []) },
  xai: { read: formFields, fake: strictFake(xaiForm, xaiRules) },
  deepgram: { read: queryFields, fake: strictFake(deepgramQuery, []) },
  'yandex-speechkit-stt': { read: queryFields, fake: strictFake(yandexQuery, []) },
  google: { read: jsonBody, fake: strictFake(googleBody, []) },
};

/** Returns the faults for which a provider refuses a request; empty if it accepts the request. */
export async function transcriptionRefusals(
  provider: string,
  request: RecordingRequest,
  model: string,
): Promise<string[]> {
  const { read, fake } = transcriptionFakes[provider]!;
  return fake.refusals({ ...request, body: JSON.stringify(await read(request)) }, model);
}
