import { createOpenAI } from '@ai-sdk/openai';
import { OpenRouter } from '@openrouter/sdk';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { type GatewayClient } from '../support/gateway.ts';
import { waveFile } from '../support/recordings.ts';

const SAYS = 'The parcel is late.';
const recording = waveFile(2.5, { says: SAYS });
const file = () => new File([recording], 'call.wav', { type: 'audio/wav' });

let gateway: GatewayClient;
let openai: OpenAI;
let openrouter: OpenRouter;
beforeAll(async () => {
  gateway = await commonGateway();
  openai = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
  openrouter = new OpenRouter({
    serverURL: gateway.baseUrl,
    apiKey: gateway.key,
    retryConfig: { strategy: 'none' as const },
  });
});

const create = (more: object) => openai.audio.transcriptions.create({ model: 'sandbox/scribe', file: file(), ...more });

describe('the OpenAI SDK', () => {
  it('gets a transcript of a file', async () => {
    const transcript = await openai.audio.transcriptions.create({
      model: 'sandbox/scribe',
      file: file(),
      language: 'en',
      prompt: 'Parcels.',
      temperature: 0,
    });

    expect(transcript).toMatchObject({ text: SAYS, usage: { type: 'duration', seconds: 3, cost: 0.03 } });
  });

  it('gets segments and words', async () => {
    const transcript = await openai.audio.transcriptions.create({
      model: 'sandbox/scribe',
      file: file(),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });

    expect(transcript).toMatchObject({ text: SAYS, duration: 2.5, language: 'english' });
    expect(transcript.words!.map(({ word }) => word).join(' ')).toBe(SAYS);
    expect(transcript.segments).toHaveLength(1);
  });

  it.each(['srt', 'vtt', 'text'] as const)('gets a text in the format %s', async (response_format) => {
    const text = await openai.audio.transcriptions.create({ model: 'sandbox/scribe', file: file(), response_format });

    expect(text).toContain(SAYS);
  });

  it('gets token counts for a model that is priced by tokens', async () => {
    const { usage } = await openai.audio.transcriptions.create({ model: 'sandbox/token-scribe', file: file() });

    expect(usage).toMatchObject({ type: 'tokens', input_token_details: { audio_tokens: 30, text_tokens: 0 } });
  });

  it.each(['sandbox/scribe', 'sandbox/token-scribe'])('reads a stream of %s', async (model) => {
    const stream = await openai.audio.transcriptions.create({ model, file: file(), stream: true });

    const deltas: string[] = [];
    let done: OpenAI.Audio.TranscriptionTextDoneEvent | undefined;
    for await (const event of stream) {
      if (event.type === 'transcript.text.delta') deltas.push(event.delta);
      if (event.type === 'transcript.text.done') done = event;
    }
    expect([deltas.join(''), done?.text]).toEqual([SAYS, SAYS]);
    // Typed clients require counts of tokens in a stream.
    for (const name of ['input_tokens', 'output_tokens', 'total_tokens']) {
      expect(done?.usage).toHaveProperty(name, expect.any(Number));
    }
  });

  it('gets a translation', async () => {
    const { text } = await openai.audio.translations.create({ model: 'sandbox/scribe', file: file() });

    expect(text).toBe(SAYS);
  });

  it('gets errors of its own classes: refused, too large, and a provider that fails', async () => {
    await expect(create({ include: ['logprobs'] })).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(create({ file: new File([waveFile(330)], 'long.wav') })).rejects.toMatchObject({ status: 413 });
    await expect(create({ prompt: '@sandbox error=503' })).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  });
});

describe('the AI SDK', () => {
  it('gets segments, for which it requires the values of Whisper', async () => {
    const { text, segments } = await createOpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key })
      .transcription('sandbox/scribe')
      .doGenerate({
        audio: new Uint8Array(recording),
        mediaType: 'audio/wav',
        providerOptions: { openai: { responseFormat: 'verbose_json' } },
      });

    expect({ text, segments }).toEqual({
      text: SAYS,
      segments: [{ text: ` ${SAYS}`, startSecond: 0, endSecond: 2.5 }],
    });
  });
});

describe('the OpenRouter SDK', () => {
  it('gets a transcript of base64', async () => {
    const transcript = await openrouter.stt.createTranscription({
      sttRequest: {
        model: 'sandbox/scribe',
        inputAudio: { data: recording.toString('base64'), format: 'wav' },
        responseFormat: 'verbose_json',
        timestampGranularities: ['word'],
      },
    });

    expect(transcript).toMatchObject({ text: SAYS, duration: 2.5, usage: { seconds: 3, cost: 0.03 } });
    expect(transcript.words).toHaveLength(4);
  });

  it('gets a transcript of a file', async () => {
    const transcript = await openrouter.stt.createTranscriptionMultipart({
      requestBody: { model: 'sandbox/scribe', file: { content: recording, fileName: 'call.wav' } },
    });

    expect(transcript).toMatchObject({ text: SAYS, usage: { seconds: 3 } });
  });

  it('lists the models that transcribe', async () => {
    const { result } = await openrouter.models.list({ outputModalities: 'transcription' });

    expect(result.data.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['sandbox/scribe', 'openai/gpt-transcribe', 'deepgram/nova-3']),
    );
  });
});
