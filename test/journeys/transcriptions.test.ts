import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { mp3File, waveFile } from '../support/recordings.ts';

let gateway: GatewayClient;
let files: Server;
beforeAll(async () => {
  gateway = await commonGateway();
  files = createServer(({ url }, response) => {
    const [body, type] = url === '/page' ? ['<p>', 'text/html'] : [waveFile(2, { says: 'From the web.' }), 'audio/wav'];
    if (url === '/huge') response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': 30 * 1024 * 1024 });
    else response.writeHead(200, { 'content-type': type });
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(files, 'listening');
});
afterAll(() => files.close());

const SAYS = 'The parcel is late. Please call back';

interface Transcribed {
  text: string;
  usage: { type: string; seconds?: number; cost?: number };
  error: { code: number; message: string; param: string; metadata: { error_type: string } };
  [field: string]: unknown;
}

interface Sent {
  file?: Buffer<ArrayBuffer>;
  key?: string;
  path?: string;
  headers?: Record<string, string>;
}

type Fields = Record<string, string | string[]>;

/** Sends a form, as OpenAI's clients do. */
async function transcribe(fields: Fields = {}, { file, key = gateway.key, path = '', headers = {} }: Sent = {}) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'sandbox/scribe', ...fields })) {
    for (const one of [value].flat()) form.append(name, one);
  }
  form.append('file', new File([file ?? waveFile(2.5, { says: SAYS })], 'secret name.wav', { type: 'audio/wav' }));
  const response = await fetch(`${gateway.baseUrl}${path || '/audio/transcriptions'}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type') === 'application/json';
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: (isJson ? JSON.parse(text) : {}) as Transcribed,
  };
}

async function keyWith(settings: object): Promise<string> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'transcriptions', ...settings });
  return (body as { key: string }).key;
}

const inline = (bytes: Buffer) => ({ input_audio: { data: bytes.toString('base64'), format: 'wav' } });

async function transcribeJson(body: object) {
  const response = await post(gateway, '/audio/transcriptions', { model: 'sandbox/scribe', ...body });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Transcribed };
}

describe('a transcript', () => {
  it('is the text of a file in a form, with the billed seconds and their cost', async () => {
    const { status, body, headers } = await transcribe();

    expect(status).toBe(200);
    expect(body).toEqual({ text: SAYS, usage: { type: 'duration', seconds: 3, cost: 0.03 } });
    expect(await finalGeneration(gateway, headers.get('x-generation-id')!)).toMatchObject({
      api_type: 'stt',
      model: 'sandbox/scribe',
      total_cost: 0.03,
      finish_reason: 'stop',
      streamed: false,
    });
  });

  it('is the text of base64 in JSON', async () => {
    expect((await transcribeJson(inline(waveFile(1, { says: SAYS })))).body.text).toBe(SAYS);
  });

  it('is the text of base64 in a data URL, whatever format the client states', async () => {
    const bytes = waveFile(1, { says: SAYS });
    const data = `data:audio/x-wav;base64,${bytes.toString('base64')}`;

    const { body } = await transcribeJson({ input_audio: { data, format: 'audio/x-wav' } });

    expect(body.text).toBe(SAYS);
  });

  it.each(['en', 'en-US', 'EN', 'eng', 'und', 'qaa-Latn', 'zh_CN', 'zh-Hant-TW', 'auto', ''])(
    'accepts the language %j, as clients send it',
    async (language) => {
      const inForm = await transcribe({ language, temperature: '', response_format: '' });
      const inJson = await transcribeJson({ ...inline(waveFile(1)), language });

      expect([inForm.status, inJson.status]).toEqual([200, 200]);
      expect(inForm.headers.get('x-gateway-left-out')).toBeNull();
    },
  );

  it('is the text of a file at an address', async () => {
    const { port } = files.address() as AddressInfo;

    const { body } = await transcribeJson({ url: `http://127.0.0.1:${port}/speech.wav` });

    expect(body).toMatchObject({ text: 'From the web.', usage: { seconds: 2 } });
  });

  it('has segments and words with their times in verbose_json', async () => {
    const { body } = await transcribe({
      response_format: 'verbose_json',
      'timestamp_granularities[]': ['segment', 'word'],
    });

    expect(body).toMatchObject({ task: 'transcribe', language: 'english', text: SAYS });
    expect(body['segments']).toMatchObject([{ id: 0, text: ` ${SAYS}`, start: 0, end: 2.5, tokens: [] }]);
    expect((body['words'] as object[])[1]).toEqual({ word: 'parcel', start: 0.36, end: 0.72 });
  });

  it.each([
    ['text', `${SAYS}\n`],
    ['srt', `1\n00:00:00,000 --> 00:00:02,500\n${SAYS}\n`],
    ['vtt', `WEBVTT\n\n00:00:00.000 --> 00:00:02.500\n${SAYS}\n`],
  ])('is a text with the format %s', async (response_format, text) => {
    const answer = await transcribe({ response_format });

    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe(text);
  });

  it('is a translation at its own path', async () => {
    const { body } = await transcribe({ response_format: 'verbose_json' }, { path: '/audio/translations' });

    expect(body).toMatchObject({ task: 'translate', language: 'english', text: SAYS });
  });

  it('is refused by the name of a model that makes no translations', async () => {
    const { status, body } = await transcribe({ model: 'sandbox/token-scribe' }, { path: '/audio/translations' });

    expect([status, body.error.param]).toEqual([400, 'model']);
    expect(body.error.message).toMatch(/supported_parameters/);
  });

  it('is one for each Idempotency-Key, although each attempt has another boundary', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() };

    const first = await transcribe({}, { headers });
    const again = await transcribe({}, { headers });
    const other = await transcribe({ language: 'de' }, { headers });

    expect([first.status, again.status, other.status]).toEqual([200, 409, 409]);
    expect(again.body.error.message).toContain(first.headers.get('x-generation-id')!);
    expect(other.body.error.message).toContain('another request');
  });
});

describe('the price of a transcript', () => {
  it('is proved by its record', async () => {
    const { headers } = await transcribe();
    const id = headers.get('x-generation-id')!;
    await finalGeneration(gateway, id);

    const { body } = await manage(gateway, 'GET', `/generations/${id}`);

    expect(body).toMatchObject({
      data: { price_lines: [{ units: [{ meter: 'audio_second', quantity: 3 }] }] },
    });
  });

  it('is its tokens at a model that is priced by tokens, those of the recording at their own price', async () => {
    const { body, headers } = await transcribe(
      { model: 'sandbox/token-scribe' },
      { file: waveFile(4, { says: SAYS }) },
    );

    expect(body.usage).toEqual({
      type: 'tokens',
      input_tokens: 40,
      input_token_details: { audio_tokens: 40, text_tokens: 0 },
      output_tokens: 9,
      total_tokens: 49,
      cost: expect.closeTo(40 * 0.0006 + 9 * 0.001, 12) as number,
    });
    expect(await finalGeneration(gateway, headers.get('x-generation-id')!)).toMatchObject({
      total_cost: body.usage.cost,
      tokens_prompt: 40,
      tokens_completion: 9,
    });
  });

  it('follows from the bytes if the header states another length', async () => {
    const files = [0xff_ff_ff_ff, 0, 100].map((declaredBytes) => waveFile(20, { says: SAYS, declaredBytes }));

    const answers = await Promise.all(files.map((file) => transcribe({}, { file })));

    expect(answers.map(({ body }) => body.usage.seconds)).toEqual([20, 20, 20]);
  });

  it('is estimated from the recording if the provider reports no usage', async () => {
    const { body, headers } = await transcribe({ prompt: '@sandbox usage=none' }, { file: mp3File(10) });

    expect(body.usage).toEqual({ type: 'duration', seconds: 11 });
    expect(headers.get('x-service-billing-status')).toBe('pending');
  });

  it('is estimated with the price of audio tokens if the provider reports no tokens', async () => {
    const prompt = '@sandbox usage=none';
    const model = 'sandbox/token-scribe';

    const estimate = await post(gateway, '/audio/transcriptions/estimate', { model, prompt, ...inline(waveFile(10)) });
    const { body, headers } = await transcribe({ model, prompt }, { file: waveFile(10, { says: SAYS }) });

    // One token for 100 ms of the recording, and for four bytes of text.
    const [heard, read, written] = [100, Math.ceil(prompt.length / 4), Math.ceil(SAYS.length / 4)];
    const { data } = (await estimate.json()) as { data: { input_tokens: number } };
    expect(data.input_tokens).toBe(heard + read);
    expect(body.text).toBe(SAYS);
    expect(await finalGeneration(gateway, headers.get('x-generation-id')!)).toMatchObject({
      estimated: true,
      tokens_prompt: heard + read,
      tokens_completion: written,
      total_cost: expect.closeTo(heard * 0.0006 + read * 0.0003 + written * 0.001, 12) as number,
    });
  });

  it('is at most that of the bytes, whatever the provider reports', async () => {
    const { body } = await transcribe({ prompt: '@sandbox usage=absurd' });

    expect(body.usage.seconds).toBeLessThanOrEqual(4);
  });

  it('is nothing if the provider fails', async () => {
    const faults = await Promise.all(
      ['error=503', 'null', 'break'].map((fault) => transcribe({ prompt: `@sandbox ${fault}` })),
    );

    for (const { status, headers } of faults) {
      expect([502, 503, 529]).toContain(status);
      expect(await finalGeneration(gateway, headers.get('x-generation-id')!)).toMatchObject({ total_cost: 0 });
    }
  });

  it('is nothing if the client leaves before the provider answers', async () => {
    const signal = AbortSignal.timeout(1_000);
    const body = { model: 'sandbox/scribe', prompt: '@sandbox first=8000', ...inline(waveFile(1)) };
    const sent = { method: 'POST', headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' } };

    const left = fetch(`${gateway.baseUrl}/audio/transcriptions`, { ...sent, body: JSON.stringify(body), signal });

    await expect(left).rejects.toThrow();
    const latest = async () => {
      const listed = await manage(gateway, 'GET', '/generations?limit=20');
      const { data } = listed.body as { data: { api_type: string; status: string; total_cost: number }[] };
      return data.find(({ api_type, status }) => api_type === 'stt' && status === 'client_left');
    };
    await expect.poll(latest).toMatchObject({ total_cost: 0 });
  });

  it('is estimated without a request to the provider', async () => {
    const response = await post(gateway, '/audio/transcriptions/estimate', {
      model: 'sandbox/scribe',
      ...inline(waveFile(9.5)),
    });

    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      data: { hold_rub: '0.11', admits: true, candidates: [{ model: 'sandbox/scribe', max_cost_rub: '0.11' }] },
    });
  });
});

describe('a transcript is refused', () => {
  it.each<[string, object, string]>([
    ['no recording', {}, 'file'],
    ['two recordings', { url: 'https://example.com/a.wav', ...inline(waveFile(1)) }, 'url'],
    ['a text as a file', { file: 'x' }, 'file'],
    ['another file', inline(Buffer.from('%PDF-1.7 no sound'.repeat(20))), 'input_audio'],
    ['text that is not base64', { input_audio: { data: 'a b' } }, 'input_audio.data'],
    ['a stream of subtitles', { ...inline(waveFile(1)), stream: true, response_format: 'srt' }, 'stream'],
    ['a name of a language', { ...inline(waveFile(1)), language: 'english' }, 'language'],
    ['another format', { ...inline(waveFile(1)), response_format: 'diarized_json' }, 'response_format'],
    ['include', { ...inline(waveFile(1)), include: ['logprobs'] }, 'include'],
    ['speakers', { ...inline(waveFile(1)), diarize: true }, 'diarize'],
    [
      'words without verbose_json',
      { ...inline(waveFile(1)), timestamp_granularities: ['word'] },
      'timestamp_granularities',
    ],
    [
      'times at a model without them',
      { ...inline(waveFile(1)), model: 'sandbox/token-scribe', response_format: 'srt' },
      'response_format',
    ],
    [
      'times of words at a model without them',
      {
        ...inline(waveFile(1)),
        model: 'sandbox/token-scribe',
        response_format: 'verbose_json',
        timestamp_granularities: ['word'],
      },
      'timestamp_granularities',
    ],
    ['several languages at a model for one', { ...inline(waveFile(1)), languages: ['ru', 'en'] }, 'languages'],
    ['an address in the own network', { url: 'http://10.0.0.1/a.wav' }, 'url'],
  ])('by name with %s', async (_, body, field) => {
    const { status, body: answer } = await transcribeJson(body);

    expect({ status, field: answer.error.param }).toEqual({ status: 400, field });
  });

  it('with an address that has no recording, or one that is too large', async () => {
    const { port } = files.address() as AddressInfo;
    const at = (path: string) => transcribeJson({ url: `http://127.0.0.1:${port}/${path}` });

    expect((await at('page')).body.error).toMatchObject({ code: 400, param: 'url' });
    expect((await at('huge')).status).toBe(413);
  });

  it('with the limit and the alternatives if the form is too large for this address', async () => {
    const { status, body } = await transcribe({}, { file: waveFile(330) });

    expect(status).toBe(413);
    expect(body.error.message).toMatch(/4\.5 MB.*https address.*25 MB/);
  });

  it('with 402 if the recording would cost more than is left', async () => {
    const key = await keyWith({ limit: 0.05 });

    const { status, body } = await transcribe({}, { key, file: waveFile(60) });

    expect(status).toBe(402);
    expect(body.error.metadata).toMatchObject({ limit_source: 'key_limit' });
  });

  it('if the key blocks sensitive data, and the prompt has some', async () => {
    const key = await keyWith({ sensitive_data: { enabled: true, action: 'block', categories: ['email'] } });

    const { status, body } = await transcribe({ prompt: 'Mail of ann@example.org' }, { key });

    expect({ status, field: body.error.param }).toEqual({ status: 400, field: 'prompt' });
  });

  it('for a model of another modality', async () => {
    expect((await transcribe({ model: 'sandbox/ranker' })).status).toBe(400);
  });
});

describe('fields that only guide a transcription', () => {
  it('are omitted and reported if the endpoint does not support them', async () => {
    const { status, headers } = await transcribe({
      model: 'sandbox/token-scribe',
      temperature: '0.2',
      chunking_strategy: 'auto',
      prompt: 'Parcels.',
    });

    expect(status).toBe(200);
    expect(headers.get('x-gateway-left-out')).toBe('chunking_strategy, temperature');
  });

  it('are refused with require_parameters', async () => {
    const { status, body } = await transcribe({
      model: 'sandbox/token-scribe',
      temperature: '0.2',
      provider: '{"require_parameters":true}',
    });

    expect({ status, field: body.error.param }).toEqual({ status: 400, field: 'temperature' });
  });
});

async function streamed(fields: Fields = {}, more: Sent = {}) {
  const file = waveFile(4, { says: 'The parcel is late.' });
  const { headers, text } = await transcribe(
    { model: 'sandbox/token-scribe', stream: 'true', ...fields },
    { file, ...more },
  );
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  return { headers, events: data.map((one) => JSON.parse(one) as { type: string; [field: string]: unknown }) };
}

describe('a streamed transcript', () => {
  const WORDS = ['The', ' parcel', ' is', ' late.'];

  it('has the events of OpenAI’s API, and the cost in the last one', async () => {
    const { headers, events } = await streamed();

    expect(headers.get('content-type')).toContain('text/event-stream');
    const cost = 40 * 0.0006 + 5 * 0.001;
    expect(events).toEqual([
      ...WORDS.map((delta) => ({ type: 'transcript.text.delta', delta })),
      {
        type: 'transcript.text.done',
        text: 'The parcel is late.',
        usage: {
          type: 'tokens',
          input_tokens: 40,
          input_token_details: { audio_tokens: 40, text_tokens: 0 },
          output_tokens: 5,
          total_tokens: 45,
          cost: expect.closeTo(cost, 12) as number,
        },
      },
    ]);
    expect(await finalGeneration(gateway, headers.get('x-generation-id')!)).toMatchObject({
      streamed: true,
      total_cost: expect.closeTo(cost, 12) as number,
    });
  });

  it('is one delta if the provider sends no events', async () => {
    const { events } = await streamed({ model: 'sandbox/scribe' });

    expect(events.map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done']);
    expect(events[1]).toMatchObject({
      text: 'The parcel is late.',
      usage: { type: 'duration', seconds: 4, cost: 0.04 },
    });
  });

  it('ends with an error if the provider breaks off, and its text so far is charged', async () => {
    const { headers, events } = await streamed({ prompt: '@sandbox break=2' });

    expect(events.map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.delta', 'error']);
    const generation = await finalGeneration(gateway, headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ estimated: true, tokens_completion: Math.ceil('The parcel'.length / 4) });
    expect(generation['total_cost']).toBeGreaterThan(0);
  });

  it('is an error with a status if the provider fails before the first word', async () => {
    const { status, headers } = await transcribe({ stream: 'true', prompt: '@sandbox error=503' });

    expect([503, 529]).toContain(status);
    expect(await finalGeneration(gateway, headers.get('x-generation-id')!)).toMatchObject({ total_cost: 0 });
  });
});

it('a transcript of the sandbox’s speech is the text that was spoken', async () => {
  const spoken = await post(gateway, '/audio/speech', {
    model: 'sandbox/speaker',
    input: 'Your parcel, № 7, is late.',
    voice: 'alto',
    response_format: 'wav',
  });
  const { text, usage } = (await transcribe({}, { file: Buffer.from(await spoken.arrayBuffer()) })).body;

  expect(text).toBe('Your parcel, № 7, is late.');
  // The sandbox reports whole seconds.
  expect(usage.seconds).toBe(1);
});
