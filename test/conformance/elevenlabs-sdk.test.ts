import { ElevenLabsClient, ElevenLabsError } from '@elevenlabs/elevenlabs-js';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, type GatewayClient } from '../support/gateway.ts';
import { waveFile } from '../support/recordings.ts';
import { cancelBeforeOutput, SLOW } from './cancelled-request.ts';

let gateway: GatewayClient;
let elevenlabs: ElevenLabsClient;
beforeAll(async () => {
  gateway = await commonGateway();
  elevenlabs = new ElevenLabsClient({ baseUrl: new URL(gateway.baseUrl).origin, apiKey: gateway.key });
});

const once = { maxRetries: 0 };
const text = 'Your parcel left our warehouse today.';
const words = text.split(' ').length;
const MP3_WORD_BYTES = 8 * 417;
const PCM_WORD_BYTES = 9_600;

type RecordingFields = Parameters<ElevenLabsClient['speechToText']['convert']>[0];
type Options = NonNullable<Parameters<ElevenLabsClient['textToSpeech']['convert']>[2]>;

const speak = (more: object = {}, options: Options = {}) =>
  elevenlabs.textToSpeech
    .convert('alto', { text, modelId: 'sandbox/speaker', ...more }, { ...once, ...options })
    .withRawResponse();

const recording = (says: string) => new File([waveFile(2, { says })], 'a.wav', { type: 'audio/wav' });
const hear = (more: Partial<RecordingFields> = {}, options: Options = {}) =>
  elevenlabs.speechToText
    .convert({ modelId: 'sandbox/scribe', file: recording('The parcel is late'), ...more }, { ...once, ...options })
    .withRawResponse();

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  return (await new Response(stream).arrayBuffer()).byteLength;
}

async function errorOf(request: Promise<unknown>): Promise<unknown> {
  return request.then(
    () => undefined,
    (reason: unknown) => reason,
  );
}

describe('the ElevenLabs SDK for speech', () => {
  it('gets mp3 by default, and pays its characters', async () => {
    const { data, rawResponse } = await speak();

    expect(rawResponse.headers.get('content-type')).toBe('audio/mpeg');
    expect(rawResponse.headers.get('x-gateway-left-out')).toBeNull();
    expect(await bytesOf(data)).toBe(words * MP3_WORD_BYTES);
    const generation = await finalGeneration(gateway, rawResponse.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ api_type: 'tts', total_cost: expect.closeTo(0.0555, 12) as number });
  });

  it('streams the requested format', async () => {
    const stream = await elevenlabs.textToSpeech.stream(
      'alto',
      { text, modelId: 'speaker', outputFormat: 'pcm_24000' },
      once,
    );

    expect(await bytesOf(stream)).toBe(words * PCM_WORD_BYTES);
  });

  it('gets the names of fields that the model does not take', async () => {
    const { data, rawResponse } = await speak({
      voiceSettings: { stability: 0.5, speed: 1.1 },
      seed: 7,
      outputFormat: 'mp3_22050_32',
      optimizeStreamingLatency: 2,
      previousRequestIds: ['a'],
      enableLogging: false,
      pronunciationDictionaryLocators: [],
    });

    expect(await bytesOf(data)).toBeGreaterThan(0);
    expect(rawResponse.headers.get('x-gateway-left-out')!.split(', ').toSorted()).toEqual([
      'optimize_streaming_latency',
      'output_format',
      'previous_request_ids',
      'seed',
      'voice_settings',
    ]);
  });

  it.each<[string, number, string, object]>([
    ['an unknown model', 404, 'model_id', { modelId: 'eleven_v9' }],
    ['no model, if the catalog lacks the default', 404, 'model_id', { modelId: undefined }],
    ['no text', 400, 'text', { text: '' }],
    ['a text that is too long for the model', 400, 'text', { text: 'x'.repeat(5_000) }],
    ['a format that no model makes', 400, 'output_format', { outputFormat: 'ulaw_8000' }],
    ['a format that the model does not make', 400, 'output_format', { outputFormat: 'opus_48000_64' }],
    ['a speed that no model has', 400, 'voice_settings.speed', { voiceSettings: { speed: 9 } }],
    [
      'a dictionary',
      400,
      'pronunciation_dictionary_locators.0',
      { pronunciationDictionaryLocators: [{ pronunciationDictionaryId: 'a' }] },
    ],
  ])('gets an error that names the field for %s', async (_what, statusCode, param, more) => {
    const error = await errorOf(speak(more));

    expect(error).toBeInstanceOf(ElevenLabsError);
    expect(error).toMatchObject({ statusCode, body: { detail: { param, message: expect.any(String) as string } } });
  });

  it('gets an error that names the field if all parameters are required', async () => {
    const additionalBodyParameters = { provider: { require_parameters: true } };

    for (const [param, more] of [
      ['voice_settings', { voiceSettings: { stability: 0.5 } }],
      ['previous_request_ids', { previousRequestIds: ['a'] }],
      ['optimize_streaming_latency', { optimizeStreamingLatency: 2 }],
    ] as const) {
      const error = await errorOf(speak(more, { additionalBodyParameters }));
      expect(error).toMatchObject({ statusCode: 400, body: { detail: { param } } });
    }
  });

  it('gets an error if a parameter of the URL is in the body', async () => {
    for (const param of ['output_format', 'enable_logging', 'voice_id']) {
      const error = await errorOf(speak({}, { additionalBodyParameters: { [param]: 5 } }));
      expect(error).toMatchObject({ statusCode: 400, body: { detail: { param } } });
    }
  });

  it('gets the status of a request that fails, is too large, or has another key', async () => {
    const foreign = new ElevenLabsClient({ baseUrl: new URL(gateway.baseUrl).origin, apiKey: 'sk_5f0' });

    expect(await errorOf(speak({ text: 'x\n@sandbox error=503' }))).toMatchObject({
      statusCode: 529,
      body: { detail: { status: 'provider_overloaded' } },
    });
    expect(await errorOf(speak({ text: 'x'.repeat(7_000_000) }))).toMatchObject({ statusCode: 413 });
    expect(await errorOf(foreign.textToSpeech.convert('alto', { text }, once).withRawResponse())).toMatchObject({
      statusCode: 401,
      body: { detail: { status: 'authentication' } },
    });
  });

  it('can cancel a request before the sound, free of charge', async () => {
    const slow = { text: `${text}${SLOW}` };

    const error = await cancelBeforeOutput(gateway, (abortSignal) => speak(slow, { abortSignal }));

    expect(String(error)).toMatch(/abort/i);
  });

  it('can cancel a request during the sound, and pays all characters', async () => {
    const long = `${text}\n@sandbox delay=200 tokens=100`;
    const leaving = new AbortController();
    const { data, rawResponse } = await speak({ text: long }, { abortSignal: leaving.signal });
    await data.getReader().read();
    leaving.abort();
    const generation = await finalGeneration(gateway, rawResponse.headers.get('x-generation-id')!);
    const total = expect.closeTo(long.length * 0.0015, 12) as number;
    expect(generation).toMatchObject({ cancelled: true, finish_reason: 'error', total_cost: total });
  });
});

describe('the ElevenLabs SDK for transcripts', () => {
  it('gets a text with its words by default, and pays its seconds', async () => {
    const { data, rawResponse } = await hear({ additionalFormats: [] });

    expect(data).toMatchObject({ text: 'The parcel is late', languageCode: 'english', audioDurationSecs: 2 });
    expect(data).toHaveProperty('words.1', { text: 'parcel', start: 0.5, end: 1, type: 'word', logprob: 0 });
    const generation = await finalGeneration(gateway, rawResponse.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ api_type: 'stt', total_cost: 0.02 });
  });

  it('gets no words if it requests none, or the model returns none', async () => {
    expect((await hear({ timestampsGranularity: 'none' })).data).toMatchObject({ words: [], languageCode: '' });
    expect((await hear({ modelId: 'sandbox/token-scribe' })).data).toMatchObject({ words: [], languageCode: '' });
  });

  it('gets the names of fields that the model does not take', async () => {
    const { data, rawResponse } = await hear({
      timestampsGranularity: 'word',
      languageCode: 'eng',
      keyterms: ['parcel'],
      temperature: 0,
      diarize: false,
      tagAudioEvents: true,
      seed: 7,
    });

    expect(data).toHaveProperty('words.3.text', 'late');
    expect(rawResponse.headers.get('x-gateway-left-out')).toBe('seed, tag_audio_events');
  });

  it.each<[string, number, string, Partial<RecordingFields>]>([
    ['an unknown model', 404, 'model_id', { modelId: 'scribe_v9' }],
    ['no recording', 400, 'file', { file: undefined }],
    ['two recordings', 400, 'source_url', { sourceUrl: 'https://example.com/a.wav' }],
    ['an address in the own network', 400, 'source_url', { file: undefined, sourceUrl: 'http://10.0.0.1/a.wav' }],
    ['the times of characters', 400, 'timestamps_granularity', { timestampsGranularity: 'character' }],
    [
      'times that the model lacks',
      400,
      'timestamps_granularity',
      { modelId: 'sandbox/token-scribe', timestampsGranularity: 'word' },
    ],
    ['speakers', 400, 'diarize', { diarize: true }],
    ['a number of speakers', 400, 'num_speakers', { numSpeakers: 2 }],
    ['channels', 400, 'use_multi_channel', { useMultiChannel: true }],
    ['a webhook', 400, 'webhook', { webhook: true }],
    ['entities', 400, 'entity_detection', { entityDetection: ['pii', 'phi'] as never }],
    ['subtitles', 400, 'additional_formats.0', { additionalFormats: [{ format: 'srt' }] as never }],
    ['an edited transcript', 400, 'transcript_edit', { transcriptEdit: 'Shorten it' }],
    ['bare samples', 400, 'file_format', { fileFormat: 'pcm_s16le_16' }],
    ['a temperature that no model has', 400, 'temperature', { temperature: 1.5 }],
  ])('gets an error that names the field for %s', async (_what, statusCode, param, more) => {
    const error = await errorOf(hear(more));

    expect(error).toBeInstanceOf(ElevenLabsError);
    expect(error).toMatchObject({ statusCode, body: { detail: { param, message: expect.any(String) as string } } });
  });

  it('gets the status of a request that fails, or is too large', async () => {
    expect(await errorOf(hear({ file: recording('x @sandbox error=503') }))).toMatchObject({
      statusCode: 529,
      body: { detail: { status: 'provider_overloaded' } },
    });
    const large = new File([Buffer.alloc(30 * 1024 * 1024)], 'a.wav');
    expect(await errorOf(hear({ file: large }))).toMatchObject({ statusCode: 413 });
  });

  it('can cancel a request, free of charge', async () => {
    const slow = { file: recording(`x${SLOW}`) };

    const error = await cancelBeforeOutput(gateway, (abortSignal) => hear(slow, { abortSignal }));

    expect(String(error)).toMatch(/abort/i);
  });

  it('records the tags of a form, in which the SDK for Python has absent fields as null', async () => {
    const form = new FormData();
    form.set('model_id', 'sandbox/scribe');
    form.set('metadata[tags][project]', 'lake');
    for (const name of ['entity_detection', 'entity_redaction', 'webhook_metadata']) form.set(name, 'null');
    form.set('file', recording('Hello'));
    const response = await fetch(`${gateway.baseUrl}/speech-to-text`, {
      method: 'POST',
      headers: { 'xi-api-key': gateway.key, 'x-gateway-tags': 'team=maps' },
      body: form,
    });

    expect([response.status, response.headers.get('x-gateway-left-out')]).toEqual([200, null]);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation['tags']).toEqual({ project: 'lake', team: 'maps' });
  });
});
