/** Requests of two SDKs that are refused, too large or cancelled. */

import { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import type { GatewayClient } from '../support/gateway.ts';
import { waveFile } from '../support/recordings.ts';
import { cancelBeforeOutput, SLOW } from './cancelled-request.ts';

let gateway: GatewayClient;
let openai: OpenAI;
let openrouter: OpenRouter;
beforeAll(async () => {
  gateway = await commonGateway();
  const { baseUrl, key: apiKey } = gateway;
  openai = new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0 });
  openrouter = new OpenRouter({ serverURL: baseUrl, apiKey, retryConfig: { strategy: 'none' } });
});

const large = 'x'.repeat(7_000_000);
const picture = () => new File([Buffer.from('iVBORw0KGgoAAAANSUhEUgAA', 'base64')], 'a.png', { type: 'image/png' });
const recording = () => new File([waveFile(1)], 'a.wav', { type: 'audio/wav' });
const spoken = (says: string) => waveFile(1, { says }).toString('base64');
const png = (base64: string) => [
  { type: 'image_url' as const, imageUrl: { url: `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${base64}` } },
];

type Sending = (model: string, text: string, signal?: AbortSignal) => Promise<unknown>;
const quiet = (signal: AbortSignal | undefined) => (signal ? { fetchOptions: { signal } } : {});

const routes: Record<string, { model: string; send: Sending; tooLarge: () => Promise<unknown> }> = {
  'openai: embeddings': {
    model: 'sandbox/embedder',
    send: (model, input, signal) => openai.embeddings.create({ model, input }, { signal }),
    tooLarge: () => openai.embeddings.create({ model: 'sandbox/embedder', input: large }),
  },
  'openai: images': {
    model: 'sandbox/painter',
    send: (model, prompt, signal) => openai.images.generate({ model, prompt }, { signal }),
    tooLarge: () => openai.images.generate({ model: 'sandbox/painter', prompt: large }),
  },
  'openai: edits': {
    model: 'sandbox/token-painter',
    send: (model, prompt, signal) => openai.images.edit({ model, prompt, image: picture() }, { signal }),
    tooLarge: () =>
      openai.images.edit({ model: 'sandbox/token-painter', prompt: 'A fox', image: new File([large], 'a.png') }),
  },
  'openai: speech': {
    model: 'sandbox/speaker',
    send: (model, input, signal) => openai.audio.speech.create({ model, input, voice: 'alto' }, { signal }),
    tooLarge: () => openai.audio.speech.create({ model: 'sandbox/speaker', input: large, voice: 'alto' }),
  },
  'openai: transcriptions': {
    model: 'sandbox/scribe',
    send: (model, prompt, signal) =>
      openai.audio.transcriptions.create({ model, prompt, file: recording() }, { signal }),
    tooLarge: () => openai.audio.transcriptions.create({ model: 'sandbox/scribe', file: new File([large], 'a.wav') }),
  },
  'openai: translations': {
    model: 'sandbox/scribe',
    send: (model, prompt, signal) => openai.audio.translations.create({ model, prompt, file: recording() }, { signal }),
    tooLarge: () => openai.audio.translations.create({ model: 'sandbox/scribe', file: new File([large], 'a.wav') }),
  },
  'openrouter: embeddings': {
    model: 'sandbox/embedder',
    send: (model, input, signal) => openrouter.embeddings.generate({ requestBody: { model, input } }, quiet(signal)),
    tooLarge: () => openrouter.embeddings.generate({ requestBody: { model: 'sandbox/embedder', input: large } }),
  },
  'openrouter: rerank': {
    model: 'sandbox/ranker',
    send: (model, query, signal) =>
      openrouter.rerank.rerank({ requestBody: { model, query, documents: ['One.'] } }, quiet(signal)),
    tooLarge: () =>
      openrouter.rerank.rerank({ requestBody: { model: 'sandbox/ranker', query: 'One?', documents: [large] } }),
  },
  'openrouter: images': {
    model: 'sandbox/painter',
    send: (model, prompt, signal) =>
      openrouter.images.generate({ imageGenerationRequest: { model, prompt } }, quiet(signal)),
    tooLarge: () =>
      openrouter.images.generate({
        imageGenerationRequest: { model: 'sandbox/painter', prompt: 'A fox', inputReferences: png(large) },
      }),
  },
  'openrouter: speech': {
    model: 'sandbox/speaker',
    send: (model, input, signal) =>
      openrouter.tts.createSpeech({ speechRequest: { model, input, voice: 'alto' } }, quiet(signal)),
    tooLarge: () =>
      openrouter.tts.createSpeech({ speechRequest: { model: 'sandbox/speaker', input: large, voice: 'alto' } }),
  },
  'openrouter: transcriptions': {
    model: 'sandbox/scribe',
    send: (model, text, signal) =>
      openrouter.stt.createTranscription(
        { sttRequest: { model, inputAudio: { data: spoken(text), format: 'wav' } } },
        quiet(signal),
      ),
    tooLarge: () =>
      openrouter.stt.createTranscription({
        sttRequest: { model: 'sandbox/scribe', inputAudio: { data: large, format: 'wav' } },
      }),
  },
};

const statusOf = (error: unknown) => {
  const { status, statusCode } = error as { status?: number; statusCode?: number };
  return status ?? statusCode;
};

describe.each(Object.entries(routes))('%s', (_route, { model, send, tooLarge }) => {
  it('reads the status of an unknown model, and of a body that is too large', async () => {
    await expect(send('sandbox/nothing', 'A fox')).rejects.toSatisfy((error) => statusOf(error) === 404);
    await expect(tooLarge()).rejects.toSatisfy((error) => statusOf(error) === 413);
  });

  it('can cancel a request, free of charge', async () => {
    const error = await cancelBeforeOutput(gateway, (signal) => send(model, `A fox.${SLOW}`, signal));

    expect(String(error)).toMatch(/abort/i);
  });
});
