import { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
let openai: OpenAI;
let openrouter: OpenRouter;
beforeAll(async () => {
  gateway = await commonGateway();
  openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
  openrouter = new OpenRouter({ serverURL: gateway.baseUrl, apiKey: gateway.key, retryConfig: { strategy: 'none' } });
});

const input = 'Your parcel left our warehouse today.';
const words = input.split(' ').length;
const MP3_WORD_BYTES = 8 * 417;
const PCM_WORD_BYTES = 9_600;

async function bytesOf(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.from(await new Response(stream).arrayBuffer());
}

describe('the OpenAI SDK', () => {
  it('gets mp3 if it requests no format', async () => {
    const response = await openai.audio.speech.create({ model: 'sandbox/speaker', voice: 'alto', input });

    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    expect(await response.arrayBuffer()).toHaveProperty('byteLength', words * MP3_WORD_BYTES);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ api_type: 'tts', total_cost: expect.closeTo(0.0555, 12) as number });
  });

  it('gets speech while it is generated, and pays all characters if it cancels', async () => {
    const long = `${input}\n@sandbox delay=200 tokens=100`;
    const leaving = new AbortController();
    const response = await openai.audio.speech.create(
      {
        model: 'sandbox/speaker',
        voice: 'alto',
        input: long,
        response_format: 'pcm',
      },
      { signal: leaving.signal },
    );
    const { value } = await response.body!.getReader().read();
    leaving.abort();

    expect((value as Uint8Array).length).toBeGreaterThan(0);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    const total = expect.closeTo(long.length * 0.0015, 12) as number;
    expect(generation).toMatchObject({ cancelled: true, finish_reason: 'error', total_cost: total });
  });

  it('gets speech as server-sent events', async () => {
    const response = await openai.audio.speech.create({
      model: 'sandbox/storyteller',
      voice: 'alto',
      input,
      stream_format: 'sse',
    });

    expect((await response.text()).match(/event: speech\.audio\.\w+/g)!.at(-1)).toBe('event: speech.audio.done');
  });

  it('gets errors with their status and field', async () => {
    const speak = (more: object) =>
      openai.audio.speech.create({ model: 'sandbox/speaker', voice: 'alto', input, ...more });

    await expect(speak({ response_format: 'flac' })).rejects.toMatchObject({ status: 400, param: 'response_format' });
    await expect(speak({ input: `${input}\n@sandbox error=529` })).rejects.toMatchObject({ status: 529 });
    await expect(speak({ model: 'sandbox/gpt' })).rejects.toMatchObject({ status: 400, param: 'model' });
  });
});

describe('the OpenRouter SDK', () => {
  it('gets the sound in its default format, pcm', async () => {
    const stream = await openrouter.tts.createSpeech({
      speechRequest: { model: 'sandbox/speaker', input, voice: 'alto', sessionId: 's', user: 'ann' },
    });

    expect(await bytesOf(stream)).toHaveLength(words * PCM_WORD_BYTES);
  });

  it('gets sound if it sends instructions among the options of a provider', async () => {
    const provider = { options: { openai: { instructions: 'Calmly' } } };
    const speechRequest = {
      model: 'sandbox/storyteller',
      input,
      voice: 'alto',
      responseFormat: 'mp3' as const,
      provider,
    };

    expect(await bytesOf(await openrouter.tts.createSpeech({ speechRequest }))).toHaveLength(words * MP3_WORD_BYTES);
  });

  it('gets errors with their status', async () => {
    const speechRequest = { model: 'sandbox/storyteller', input };

    await expect(openrouter.tts.createSpeech({ speechRequest })).rejects.toMatchObject({ statusCode: 400 });
  });
});
