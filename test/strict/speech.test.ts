/**
 * Each request must be sent to a speech endpoint in the form that the provider accepts, or refused with the name of a
 * field.
 */

import { describe, expect, it } from 'vitest';
import { prepareOffers, type BatchCandidate } from '../../lambdas/inference/batch/offers.ts';
import { engineCandidate } from '../../lambdas/inference/modalities/modality.ts';
import { convertedTextModality } from '../../lambdas/api/speech/elevenlabs.ts';
import { speechModality } from '../../lambdas/inference/modalities/speech.ts';
import { speechBody } from '../../lambdas/inference/modalities/speech-schema.ts';
import type { BatchEngine, StreamedAnswer } from '../../lambdas/providers/batch-engine.ts';
import type { SpeechTarget, SpeechTask } from '../../lambdas/providers/speech/codec.ts';
import { speechEngines } from '../../lambdas/providers/speech/engines.ts';
import type { WireRequest } from '../../lambdas/providers/wire.ts';
import { loadShippedCatalog } from '../support/catalog.ts';
import { speechFakes, speechSources } from './speech.ts';

type SpeechCandidate = BatchCandidate<SpeechTask, StreamedAnswer<Buffer>>;

const places = loadShippedCatalog()
  .models.filter(({ id, data }) => data.output_modalities.includes('speech') && !id.startsWith('sandbox/'))
  .flatMap((model) => model.endpoints.map((endpoint) => ({ model, endpoint })));

/** Stands for a voice that the endpoint has. */
const KNOWN_VOICE = 'known-voice';
const formats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'];
const requests: object[] = [
  {},
  ...formats.map((response_format) => ({ response_format })),
  { voice: KNOWN_VOICE, response_format: 'wav' },
  { voice: { id: KNOWN_VOICE }, response_format: 'wav' },
  { voice: 'alloy', response_format: 'wav' },
  { speed: 1, response_format: 'wav' },
  { speed: 1.1, response_format: 'wav' },
  { speed: 4, response_format: 'wav' },
  { speed: 0.25, response_format: 'wav' },
  { instructions: 'Calmly', response_format: 'wav' },
  { instructions: '', response_format: 'wav' },
  { stream_format: 'sse', response_format: 'wav' },
  { input: 'broken \ud83d text', response_format: 'wav' },
  { input: 'Привет & пока? 📦', response_format: 'wav' },
  { input: 'word '.repeat(700), response_format: 'wav' },
  { input: 'word '.repeat(7_000), response_format: 'wav' },
];

function candidateOf({ model, endpoint }: (typeof places)[number]): SpeechCandidate {
  const pricing = endpoint.pricing!;
  const usable = { model, endpoint: { ...endpoint, pricing }, pricing, credential: 'c', isOnlyFirst: false };
  return engineCandidate(speechModality, usable as never)!;
}

const bodyOf = (request: object, model: string) =>
  speechBody.schema.parse({ model, input: 'Hello, world.', ...request });

function ask(request: object, candidate: SpeechCandidate): { sent: WireRequest } | { refused: unknown } {
  const { default_voice: voice = 'v1' } = candidate.target.quirks as SpeechTarget['quirks'];
  const known = JSON.parse(JSON.stringify(request).replace(KNOWN_VOICE, voice)) as object;
  const body = bodyOf(known, candidate.model.id);
  const task = speechModality.taskOf(
    body,
    speechModality.textsOf(body).map(({ text }) => text),
  );
  return sentFor(task, candidate);
}

function sentFor(task: SpeechTask, candidate: SpeechCandidate): { sent: WireRequest } | { refused: unknown } {
  try {
    prepareOffers(speechModality.fitting!(task, [candidate], undefined), task, speechModality);
    const [first] = candidate.engine.batchRequests(task, candidate.target);
    const { request: sent } = first!;
    return { sent: { ...sent, body: String(sent.body) } };
  } catch (error) {
    const { metadata } = error as { metadata?: { field?: unknown } };
    if (typeof metadata?.field !== 'string') throw error;
    return { refused: metadata.field };
  }
}

describe('speech endpoints of the catalog', () => {
  it('are at least twelve models, each with a strict fake', () => {
    expect(new Set(places.map(({ model }) => model.id)).size).toBeGreaterThanOrEqual(12);
    expect(places.filter(({ endpoint }) => !speechFakes[endpoint.provider.id])).toEqual([]);
  });

  it.each(places.map((place) => [place.endpoint.id, place] as const))(
    'get only requests that their provider accepts, and refuse others by the name of a field: %s',
    (_id, place) => {
      const candidate = candidateOf(place);
      const fake = speechFakes[place.endpoint.provider.id]!;
      for (const request of requests) {
        const outcome = ask(request, candidate);
        const refused = 'sent' in outcome ? fake.refusals(outcome.sent, candidate.target.upstreamModel) : [];
        expect({ request, refused }).toEqual({ request, refused: [] });
      }
    },
  );

  it('refuse only requests that their provider does not support', () => {
    const refused = places.flatMap((place) =>
      requests.flatMap((request) => {
        const outcome = ask(request, candidateOf(place));
        return 'refused' in outcome ? [`${place.endpoint.id} ${String(outcome.refused)}`] : [];
      }),
    );

    expect([...new Set(refused)].toSorted()).toEqual([
      'deepgram/deepgram/aura-1 input',
      'deepgram/deepgram/aura-2 input',
      'elevenlabs/elevenlabs/eleven-v4 input',
      'elevenlabs/elevenlabs/eleven-v4 response_format',
      'elevenlabs/elevenlabs/eleven-v4 voice',
      'elevenlabs/elevenlabs/eleven-v4-turbo input',
      'elevenlabs/elevenlabs/eleven-v4-turbo response_format',
      'elevenlabs/elevenlabs/eleven-v4-turbo voice',
      'google/google/gemini-3.8-flash-lite-tts response_format',
      'google/google/gemini-3.8-flash-tts response_format',
      'mistral/mistralai/voxtral-mini-tts-3-0 response_format',
      'openai/openai/gpt-4o-mini-tts input',
      'openai/openai/tts-1 input',
      'openai/openai/tts-1-hd input',
      'venice/canopylabs/orpheus-3b input',
      'venice/canopylabs/orpheus-3b response_format',
      'venice/hexgrad/kokoro-82m input',
      'xai/x-ai/grok-tts input',
      'xai/x-ai/grok-tts response_format',
      'xai/x-ai/grok-tts speed',
      'yandex-speechkit/yandex/speechkit-tts input',
      'yandex-speechkit/yandex/speechkit-tts response_format',
      'yandex-speechkit/yandex/speechkit-tts speed',
    ]);
  });
});

describe('requests of ElevenLabs’ API', () => {
  /** Fields of the body, and `url` with parameters of the URL. */
  const sentFields: { url?: object; [field: string]: unknown }[] = [
    {},
    ...['mp3_22050_32', 'mp3_44100_128', 'opus_48000_64', 'pcm_24000', 'wav_24000'].map((output_format) => ({
      url: { output_format },
    })),
    { voice_settings: { stability: 0, similarity_boost: 1, style: 0.5, use_speaker_boost: false } },
    { voice_settings: { stability: 0.5, speed: 1.1 } },
    { voice_settings: {}, previous_text: '', next_text: '' },
    { voice_settings: { stability: null, similarity_boost: 0.5 }, language_code: 'eng' },
    { seed: 4_294_967_295, language_code: 'en', previous_text: 'Well.', next_text: 'Fine?' },
    { url: { optimize_streaming_latency: '3' }, previous_request_ids: ['a'], apply_text_normalization: 'on' },
  ];

  it.each(places.map((place) => [place.endpoint.id, place] as const))(
    'get only fields that the provider accepts: %s',
    (_id, place) => {
      const candidate = candidateOf(place);
      const { target } = candidate;
      const fake = speechFakes[place.endpoint.provider.id]!;
      const { default_voice: voice = 'v1' } = target.quirks as SpeechTarget['quirks'];
      for (const { url = {}, ...fields } of sentFields) {
        const sent = convertedTextModality.accepts.body.parse({ text: 'Hello.', ...fields });
        const body = Object.assign(sent, { voice_id: voice, output_format: 'wav_24000' }, url);
        const task = convertedTextModality.taskOf(body, ['Hello.', 'Well.', 'Fine?']);
        const outcome = sentFor(task, candidate);
        const refused = 'sent' in outcome ? fake.refusals(outcome.sent, target.upstreamModel) : [];
        expect({ fields, refused }).toEqual({ fields, refused: [] });
        if ('refused' in outcome) expect([fields, outcome.refused]).toEqual([fields, 'response_format']);
      }
    },
  );

  it('go only to endpoints that keep no data if they turn logging off', () => {
    const sent = { text: 'a', provider: { ignore: ['openai'] } };
    const body = Object.assign(convertedTextModality.accepts.body.parse(sent), { enable_logging: 'false' as const });

    expect(convertedTextModality.routeOf(body, []).provider).toEqual({ ignore: ['openai'], zdr: true });
  });

  it('are searched for sensitive data in all texts that are sent', () => {
    const body = convertedTextModality.accepts.body.parse({ text: 'a', previous_text: 'b', next_text: 'c' });

    expect(convertedTextModality.textsOf(body)).toEqual([
      { field: 'input', text: 'a' },
      { field: 'previous_text', text: 'b' },
      { field: 'next_text', text: 'c' },
    ]);
    expect(convertedTextModality.taskOf(body, ['1', '2', '3'])).toMatchObject({
      text: '1',
      previous_text: '2',
      next_text: '3',
    });
  });
});

/** Each wire refuses exactly one of these formats; Salute's wire has no model in the shipped catalog. */
describe.each(['yandex-speech', 'salute-speech'] as const)('a request over %s', (wire) => {
  const engine: BatchEngine<SpeechTask, unknown> = speechEngines[wire];
  const fake = speechFakes[wire === 'yandex-speech' ? 'yandex-speechkit' : 'salutespeech']!;
  const target: SpeechTarget = {
    providerId: wire,
    upstreamModel: 'speech',
    maxOutputTokens: undefined,
    supportedParameters: wire === 'yandex-speech' ? ['speed'] : [],
    quirks: { default_voice: wire === 'yandex-speech' ? 'marina' : 'Nec_24000' },
  };

  it.each(['mp3', 'opus', 'wav', 'pcm'] as const)(
    'is accepted, or refused by the field of its format: %s',
    (format) => {
      const body = bodyOf({ response_format: format, speed: 1.5, input: 'Привет, как дела?' }, 'm');
      const task = speechModality.taskOf(body, [body.input]);
      let refused: unknown;
      try {
        const [first] = engine.batchRequests(task, target);
        expect(fake.refusals({ ...first!.request, body: String(first!.request.body) }, 'speech')).toEqual([]);
      } catch (error) {
        refused = (error as { metadata?: { field?: string } }).metadata?.field;
        if (refused === undefined) throw error;
      }
      const lacks = wire === 'yandex-speech' ? 'pcm' : 'mp3';
      expect(refused).toBe(format === lacks ? 'response_format' : undefined);
    },
  );
});

const refusals = (provider: string, path: string, body: object) =>
  speechFakes[provider]!.refusals({ path, headers: {}, body: JSON.stringify(body) }, 'm');

describe('a strict fake of a provider of speech', () => {
  const openai = { model: 'tts-1', input: 'a', voice: 'alloy' };

  it.each([
    ['openai', '/audio/speech', { ...openai, stream_format: 'sse' }, /sse/],
    ['openai', '/audio/speech', { ...openai, voice: 'tenor' }, /voice/],
    ['openai', '/audio/speech', { ...openai, input: 'a'.repeat(4_097) }, /4096/],
    ['venice', '/audio/speech', { ...openai, model: 'tts-orpheus', response_format: 'mp3' }, /wav only/],
    ['google', '/models/gemini-3.8-flash-tts:generateContent', {}, /contents/],
    [
      'elevenlabs',
      '/v1/text-to-speech/v/stream?output_format=wav',
      { text: 'a', model_id: 'eleven_v4' },
      /output format/,
    ],
    ['deepgram', '/v1/speak?model=aura-2-thalia-en&encoding=mp3&container=wav', { text: 'a' }, /container/],
    ['mistral', '/audio/speech', { model: 'voxtral-mini-tts-3-0', input: 'a', voice_id: 'v', speed: 1 }, /speed/],
    [
      'xai',
      '/tts',
      { text: 'a', voice_id: 'eve', language: 'auto', output_format: { codec: 'wav', bit_rate: 128_000 } },
      /bit rate/,
    ],
    ['yandex-speechkit', '/speech/v1/tts:synthesize', {}, /not a form/],
    ['salutespeech', '/rest/v1/text:synthesize?format=mp3&voice=Nec_24000', {}, /not a text/],
  ])('of %s refuses %s %j', (provider, path, body, reason) => {
    expect(refusals(provider, path, body).join()).toMatch(reason);
  });

  it('names its sources', () => {
    expect(speechSources.filter((source) => !/^https:\/\/\S+$/.test(source))).toEqual([]);
  });
});
