/** ElevenLabs' SDK with ElevenLabs' models, and a strict fake of the provider. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ElevenLabsClient } from '@elevenlabs/elevenlabs-js';
import { OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { catalogDirectory, shippedCatalog, type CatalogDirectory } from '../support/catalog.ts';
import { stopUpstreams, upstream, type Seen } from '../support/direct-upstream.ts';
import { finalGeneration, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { waveFile } from '../support/recordings.ts';
import { speechFakes } from '../strict/speech.ts';

const transcript = {
  language_code: 'eng',
  language_probability: 0.98,
  text: 'The parcel',
  words: [
    { text: 'The', start: 0, end: 0.5, type: 'word', speaker_id: 'speaker_0', logprob: -0.1 },
    { text: ' ', start: 0.5, end: 0.5, type: 'spacing', logprob: 0 },
    { text: 'parcel', start: 0.5, end: 1, type: 'word', speaker_id: 'speaker_4', logprob: -0.2 },
  ],
  audio_duration_secs: 2,
};
const sound = Buffer.from('a sound');

let provider: Seen;
const requests: { path: string; key: unknown }[] = [];
let catalog: CatalogDirectory;
let gateway: RunningGateway;
let elevenlabs: ElevenLabsClient;

function shippedModel(file: string, id: string): object {
  const { models } = JSON.parse(readFileSync(join(shippedCatalog, 'models', file), 'utf8')) as {
    models: { id: string; endpoints: object[] }[];
  };
  const model = models.find((one) => one.id === id)!;
  return { ...model, endpoints: model.endpoints.map((endpoint) => ({ ...endpoint, provider: 'test-elevenlabs' })) };
}

beforeAll(async () => {
  provider = await upstream((response, { url, headers }) => {
    requests.push({ path: url!, key: headers['xi-api-key'] });
    const isSpeech = url!.includes('text-to-speech');
    response
      .writeHead(200, { 'content-type': isSpeech ? 'audio/mpeg' : 'application/json' })
      .end(isSpeech ? sound : JSON.stringify(transcript));
  });
  const models = [
    shippedModel('speakers.json', 'elevenlabs/eleven-v4'),
    shippedModel('transcribers.json', 'elevenlabs/scribe-v2'),
  ];
  catalog = catalogDirectory(models, [
    {
      id: 'test-elevenlabs',
      name: 'ElevenLabs',
      wire: 'elevenlabs-speech',
      base_url: provider.url,
      credential: 'TEST_ELEVENLABS_KEY',
      data_policy: { logs_prompts: true, trains_on_prompts: true },
    },
  ]);
  gateway = await startGateway({ args: ['--catalog', catalog.path], env: { TEST_ELEVENLABS_KEY: 'provider-key' } });
  const { body } = await manage(gateway, 'POST', '/keys', {
    name: 'protected',
    sensitive_data: { enabled: true, action: 'replace', categories: ['email'] },
  });
  gateway.key = body.key as string;
  elevenlabs = new ElevenLabsClient({ baseUrl: new URL(gateway.baseUrl).origin, apiKey: gateway.key });
});
afterAll(async () => {
  await gateway.stop();
  await stopUpstreams();
  catalog.remove();
});

const once = { maxRetries: 0 };

it('speech has all fields that ElevenLabs takes, without sensitive data', async () => {
  const before = requests.length;
  const { data, rawResponse } = await elevenlabs.textToSpeech
    .stream(
      'JBFqnCBsd6RMkjVDRZzb',
      {
        text: 'Write to ann@secret.example.',
        modelId: 'eleven_v4',
        outputFormat: 'mp3_22050_32',
        voiceSettings: { stability: 0.5, similarityBoost: 0.75, style: 0, useSpeakerBoost: true, speed: 1.1 },
        seed: 7,
        languageCode: 'eng',
        previousText: 'I am bob@secret.example.',
        nextText: 'Bye, eve@secret.example.',
        optimizeStreamingLatency: 1,
      },
      once,
    )
    .withRawResponse();

  expect(Buffer.from(await new Response(data).arrayBuffer())).toEqual(sound);
  expect(rawResponse.headers.get('x-gateway-left-out')).toBe('optimize_streaming_latency');
  const [{ path, key }] = requests.slice(before) as [(typeof requests)[number]];
  const body = provider.bodies[before]!;
  expect([path, key]).toEqual([
    '/v1/text-to-speech/JBFqnCBsd6RMkjVDRZzb/stream?output_format=mp3_22050_32',
    'provider-key',
  ]);
  expect(JSON.parse(body)).toEqual({
    text: 'Write to [EMAIL_1].',
    model_id: 'eleven_v4',
    voice_settings: { stability: 0.5, similarity_boost: 0.75, style: 0, use_speaker_boost: true, speed: 1.1 },
    seed: 7,
    language_code: 'en',
    previous_text: 'I am [EMAIL_2].',
    next_text: 'Bye, [EMAIL_3].',
  });
  expect(speechFakes['elevenlabs']!.refusals({ path, headers: {}, body }, 'eleven_v4')).toEqual([]);
  const generation = await finalGeneration(gateway, rawResponse.headers.get('x-generation-id')!);
  expect(generation).toMatchObject({
    model: 'elevenlabs/eleven-v4',
    total_cost: expect.closeTo('Write to [EMAIL_1].'.length * 0.00792, 12) as number,
  });
});

it('a transcript has the probabilities that ElevenLabs reports', async () => {
  const file = new File([waveFile(2)], 'a.wav', { type: 'audio/wav' });
  const { data, rawResponse } = await elevenlabs.speechToText
    .convert({ modelId: 'scribe_v2', file, keyterms: ['DHL'], languageCode: 'eng' }, once)
    .withRawResponse();

  expect(data).toMatchObject({
    languageCode: 'eng',
    languageProbability: 0.98,
    text: 'The parcel',
    words: [
      { text: 'The', start: 0, end: 0.5, type: 'word', logprob: -0.1 },
      { text: 'parcel', start: 0.5, end: 1, type: 'word', logprob: -0.2 },
    ],
    audioDurationSecs: 2,
  });
  expect(rawResponse.headers.get('x-gateway-left-out')).toBeNull();
  const generation = await finalGeneration(gateway, rawResponse.headers.get('x-generation-id')!);
  // Keywords cost 20 % more, so two seconds are charged as 2.4 seconds, rounded up to three.
  expect(generation).toMatchObject({ model: 'elevenlabs/scribe-v2', total_cost: 3 * 0.00605 });
});

it('a transcript has numbers of speakers for the OpenRouter SDK, which takes no names', async () => {
  const openrouter = new OpenRouter({ serverURL: gateway.baseUrl, apiKey: gateway.key });

  const { segments, words } = await openrouter.stt.createTranscription({
    sttRequest: {
      model: 'elevenlabs/scribe-v2',
      inputAudio: { data: waveFile(2).toString('base64'), format: 'wav' },
      responseFormat: 'verbose_json',
      timestampGranularities: ['segment', 'word'],
    },
  });

  expect(segments?.map(({ text, speaker }) => [text, speaker])).toEqual([
    ['The', 0],
    ['parcel', 1],
  ]);
  expect(words?.map(({ speaker }) => speaker)).toEqual([0, 1]);
});

it('a request without logging is refused, because ElevenLabs keeps data', async () => {
  const request = { text: 'Hello.', modelId: 'eleven_v4', enableLogging: false };

  await expect(elevenlabs.textToSpeech.convert('v1', request, once)).rejects.toMatchObject({
    statusCode: 404,
    body: { error: { metadata: { excluded_by: ['zdr'] } } },
  });
});
