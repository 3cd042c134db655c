/** Strict fakes of speech providers, from their API references. */

import * as z from 'zod';
import type { WireRequest } from '../../lambdas/providers/wire.ts';
import { strictFake, type Rule, type StrictFake } from './rules.ts';

const text = z.string().min(1);
const characters = (value: string) => Array.from(value).length;
const upTo = (max: number) => text.refine((value) => characters(value) <= max, `more than ${max} characters`);

const openai = 'https://developers.openai.com/api/reference/resources/audio/subresources/speech/methods/create';
const openaiVoices = /^(?:alloy|ash|ballad|coral|echo|fable|onyx|nova|sage|shimmer|verse|marin|cedar)$/;
const openaiBody = z.strictObject({
  model: z.enum(['tts-1', 'tts-1-hd', 'gpt-4o-mini-tts', 'gpt-4o-mini-tts-2025-12-15']),
  input: upTo(4_096),
  voice: z.union([z.string().regex(openaiVoices), z.strictObject({ id: text })]),
  instructions: text.optional(),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).optional(),
  speed: z.number().min(0.25).max(4).optional(),
  stream_format: z.enum(['sse', 'audio']).optional(),
});
const oldModels: Rule<z.output<typeof openaiBody>> = {
  source: openai,
  refuses: ({ read: { model, instructions, stream_format } }) =>
    model.startsWith('tts-1') &&
    (instructions !== undefined || stream_format === 'sse') &&
    'instructions and sse do not work with tts-1 and tts-1-hd',
};

const venice = 'https://docs.venice.ai/models/kokoro-text-to-speech';
const veniceBody = z.strictObject({
  model: z.enum(['tts-kokoro', 'tts-orpheus']),
  input: upTo(4_096),
  voice: text,
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).optional(),
  speed: z.number().min(0.25).max(4).optional(),
  streaming: z.boolean().optional(),
});
const onlyWav: Rule<z.output<typeof veniceBody>> = {
  source: 'https://docs.venice.ai/models/orpheus-tts',
  refuses: ({ read: { model, response_format } }) =>
    model === 'tts-orpheus' && response_format !== 'wav' && 'orpheus makes wav only',
};
const spokenAtVenice: Rule<z.output<typeof veniceBody>> = {
  source: venice,
  refuses: ({ path }) => path !== '/audio/speech' && 'another path',
};

const gemini = 'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/text-to-speech/migration-guide';
const geminiBody = z.strictObject({
  contents: z
    .array(
      z.strictObject({
        role: z.literal('user'),
        parts: z.array(z.strictObject({ text, speechMetadata: z.strictObject({ style: text }).optional() })).length(1),
      }),
    )
    .length(1),
  generationConfig: z.strictObject({
    responseModalities: z.tuple([z.literal('AUDIO')]),
    maxOutputTokens: z.int().min(1).max(16_384).optional(),
    speechConfig: z.strictObject({
      voiceConfig: z.strictObject({ prebuiltVoiceConfig: z.strictObject({ voiceName: text }) }),
    }),
  }),
  // https://ai.google.dev/gemini-api/docs/logs-datasets
  store: z.literal(false),
});
const streamedAtGemini: Rule<unknown> = {
  source: gemini,
  refuses: ({ path }) => !/^\/models\/gemini-[\w.-]+-tts:streamGenerateContent\?alt=sse$/.test(path) && 'another path',
};

const elevenlabs = 'https://elevenlabs.io/docs/api-reference/text-to-speech/stream';
const unit = z.number().min(0).max(1).optional();
const elevenlabsBody = z.strictObject({
  text: upTo(5_000),
  model_id: z.enum(['eleven_v4', 'eleven_v4_turbo']),
  voice_settings: z
    .strictObject({
      stability: unit,
      similarity_boost: unit,
      style: unit,
      use_speaker_boost: z.boolean().optional(),
      speed: z.number().min(0.7).max(1.2).optional(),
    })
    .optional(),
  seed: z.int().min(0).max(4_294_967_295).optional(),
  language_code: z.string().length(2).optional(),
  previous_text: z.string().min(1).optional(),
  next_text: z.string().min(1).optional(),
});
/** Formats for accounts of every tier. MP3 with 192 kbit/s needs a higher tier, and WAV files are not streamed. */
const elevenlabsPath =
  /^\/v1\/text-to-speech\/[\w%.-]+\/stream\?output_format=(?:mp3_(?:22050_32|24000_48|44100_(?:32|64|96|128))|pcm_24000|opus_48000_(?:32|64|96|128))$/;
const elevenlabsAddress: Rule<unknown> = {
  source: elevenlabs,
  refuses: ({ path }) => !elevenlabsPath.test(path) && 'an unknown output format or path',
};

const deepgram = 'https://developers.deepgram.com/reference/text-to-speech/speak-request';
const deepgramBody = z.strictObject({ text: upTo(2_000) });
const deepgramQuery = z.strictObject({
  model: z.string().regex(/^aura(?:-2)?-[a-z]+-[a-z]{2}$/),
  encoding: z.enum(['linear16', 'flac', 'mulaw', 'alaw', 'mp3', 'opus', 'aac']),
  container: z.enum(['none', 'wav', 'ogg']).optional(),
  sample_rate: z.enum(['8000', '16000', '24000', '32000', '48000']).optional(),
});
const deepgramAddress: Rule<unknown> = {
  source: deepgram,
  refuses({ path }) {
    const { pathname, searchParams } = new URL(path, 'https://deepgram');
    const { error } = deepgramQuery.safeParse(Object.fromEntries(searchParams));
    return pathname === '/v1/speak' ? error?.message : 'another path';
  },
};
const deepgramContainers: Rule<unknown> = {
  source: 'https://developers.deepgram.com/docs/tts-media-output-settings',
  refuses({ path }) {
    const query = new URL(path, 'https://deepgram').searchParams;
    const [encoding, container, rate] = ['encoding', 'container', 'sample_rate'].map((name) => query.get(name));
    const isRaw = encoding === 'linear16';
    if (rate !== null && !isRaw && encoding !== 'flac') return 'the sample rate is not configurable';
    return (
      container !== null &&
      (isRaw ? container === 'ogg' : encoding !== 'opus' || container !== 'ogg') &&
      'another container'
    );
  },
};

const mistral = 'https://docs.mistral.ai/studio/audio/text-to-speech/quickstarts';
const mistralBody = z.strictObject({
  model: z.enum(['voxtral-mini-tts-3-0', 'voxtral-mini-tts-2603']),
  input: text,
  voice_id: text,
  response_format: z.enum(['pcm', 'wav', 'mp3', 'flac', 'opus']).optional(),
  stream: z.boolean().optional(),
});
const spokenAtMistral: Rule<z.output<typeof mistralBody>> = {
  source: mistral,
  refuses: ({ read }) => read.stream === true && read.response_format === 'pcm' && '32-bit floats, not 16-bit sound',
};

const xai = 'https://docs.x.ai/developers/models/text-to-speech';
const xaiBody = z.strictObject({
  text: upTo(15_000),
  voice_id: text,
  language: text,
  output_format: z
    .strictObject({
      codec: z.enum(['mp3', 'wav', 'pcm', 'mulaw', 'alaw']),
      sample_rate: z.literal([8_000, 16_000, 22_050, 24_000, 44_100, 48_000]).optional(),
      bit_rate: z.literal([32_000, 64_000, 96_000, 128_000, 192_000]).optional(),
    })
    .optional(),
  speed: z.number().min(0.7).max(1.5).optional(),
});
const xaiBitRate: Rule<z.output<typeof xaiBody>> = {
  source: xai,
  refuses: ({ read: { output_format: format } }) =>
    format?.bit_rate !== undefined && format.codec !== 'mp3' && 'a bit rate of a codec without one',
};

const yandex = 'https://yandex.cloud/en/docs/speechkit/tts/request';
const yandexForm = z.strictObject({
  text: upTo(5_000),
  voice: text,
  lang: z.enum(['ru-RU', 'en-US', 'de-DE', 'he-IL', 'kk-KK', 'uz-UZ']),
  format: z.enum(['mp3', 'lpcm', 'oggopus']),
  sampleRateHertz: z.enum(['48000', '16000', '8000']).optional(),
  speed: z.coerce.number().min(0.1).max(3).optional(),
});
const salute = 'https://developers.sber.ru/docs/ru/salutespeech/rest/sync-general';
const saluteQuery = z.strictObject({
  format: z.enum(['opus', 'wav16', 'pcm16']),
  voice: z.string().regex(/^[A-Z][a-z]+_(?:24000|8000)$/),
});

/** Creates a fake for a provider whose requests are not JSON. */
function otherFake(refuses: (request: WireRequest) => string | false | undefined): StrictFake {
  return { refusals: (request) => [refuses(request)].filter((fault): fault is string => Boolean(fault)) };
}

const yandexFake = otherFake(({ path, body, headers }) => {
  if (path !== '/speech/v1/tts:synthesize') return 'another path';
  if (headers['content-type'] !== 'application/x-www-form-urlencoded') return 'not a form';
  return yandexForm.safeParse(Object.fromEntries(new URLSearchParams(body))).error?.message;
});

const saluteFake = otherFake(({ path, body, headers }) => {
  const { pathname, searchParams } = new URL(path, 'https://salute');
  if (pathname !== '/rest/v1/text:synthesize') return 'another path';
  if (headers['content-type'] !== 'application/text') return 'not a text';
  if (characters(body) > 4_000) return 'more than 4000 characters';
  return saluteQuery.safeParse(Object.fromEntries(searchParams)).error?.message;
});

export const speechSources: readonly string[] = [
  ...[oldModels, onlyWav, spokenAtVenice, streamedAtGemini, elevenlabsAddress, deepgramAddress, deepgramContainers].map(
    ({ source }) => source,
  ),
  ...[spokenAtMistral, xaiBitRate].map(({ source }) => source),
  yandex,
  salute,
];

export const speechFakes: Record<string, StrictFake> = {
  openai: strictFake(openaiBody, [oldModels]),
  venice: strictFake(veniceBody, [onlyWav, spokenAtVenice]),
  google: strictFake(geminiBody, [streamedAtGemini]),
  elevenlabs: strictFake(elevenlabsBody, [elevenlabsAddress]),
  deepgram: strictFake(deepgramBody, [deepgramAddress, deepgramContainers]),
  mistral: strictFake(mistralBody, [spokenAtMistral]),
  xai: strictFake(xaiBody, [xaiBitRate]),
  'yandex-speechkit': yandexFake,
  salutespeech: saluteFake,
};
