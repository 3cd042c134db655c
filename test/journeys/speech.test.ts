import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { spokenTextChunk } from '../../lib/local/sandbox/spoken-text.ts';
import { characterCount } from '../../lambdas/providers/speech/codec.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const protecting = { enabled: true, categories: ['email'], action: 'replace' };
const input = 'Your parcel left our warehouse today.';
const words = input.split(' ').length;
const WORD_BYTES = { pcm: 9_600, mp3: 8 * 417 };
const SPEAKER_PRICE = 0.0015;

async function speak(body: object = {}, key = gateway.key, headers: Record<string, string> = {}) {
  const response = await post(
    gateway,
    '/audio/speech',
    { model: 'sandbox/speaker', input, ...body },
    { 'x-api-key': key, ...headers },
  );
  const { status } = response;
  const sound = Buffer.from(await response.arrayBuffer().catch(() => new ArrayBuffer(0)));
  const error =
    status === 200 ? undefined : (JSON.parse(sound.toString()) as { error: { message: string; param: string } }).error;
  return { status, headers: response.headers, sound, error, id: response.headers.get('x-generation-id')! };
}

/** Returns the response when its head has arrived. */
async function open(body: object): Promise<{ response: IncomingMessage; leave: () => void }> {
  const url = new URL(`${gateway.baseUrl}/audio/speech`);
  const headers = { 'content-type': 'application/json', 'x-api-key': gateway.key };
  const request = httpRequest(url, { method: 'POST', headers });
  request.end(JSON.stringify({ model: 'sandbox/speaker', input, ...body }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  request.on('error', () => {});
  response.on('error', () => {});
  return { response, leave: () => request.destroy() };
}

async function keyWith(settings: object): Promise<string> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'speech', ...settings });
  return (body as { key: string }).key;
}

const characterCost = (text: string) => expect.closeTo(characterCount(text) * SPEAKER_PRICE, 12) as number;

// The server Kokoro can mix voices. On other servers, a voice is the name of a file, or a name for people.
it.each(['af_bella(2)+af_sky(1)', 'en/amy-medium.onnx', 'Puck Male', 'Марина'])(
  'speech accepts the voice %s',
  async (voice) => {
    expect((await speak({ voice })).status).toBe(200);
  },
);

describe('speech', () => {
  it.each([
    [undefined, 'audio/mpeg', words * WORD_BYTES.mp3],
    ['mp3', 'audio/mpeg', words * WORD_BYTES.mp3],
    ['wav', 'audio/wav', 44 + spokenTextChunk(input).length + words * WORD_BYTES.pcm],
    ['pcm', 'audio/pcm', words * WORD_BYTES.pcm],
  ])('has the requested format: %s', async (response_format, type, bytes) => {
    for (const model of ['sandbox/speaker', 'sandbox/storyteller']) {
      const { status, headers, sound } = await speak({ model, voice: 'tenor', response_format });

      expect([status, headers.get('content-type')]).toEqual([200, type]);
      expect(sound).toHaveLength(bytes);
    }
  });

  it('is charged by characters, as code points', async () => {
    const text = 'Посылка 📦 в пути';

    const { id } = await speak({ input: text });

    expect(await finalGeneration(gateway, id)).toMatchObject({
      api_type: 'tts',
      model: 'sandbox/speaker',
      tokens_prompt: 0,
      tokens_completion: 0,
      total_cost: characterCost(text),
      finish_reason: 'stop',
      streamed: true,
      cancelled: false,
    });
    const record = await manage(gateway, 'GET', `/generations/${id}`);
    expect(record.body).toMatchObject({
      data: { price_lines: [{ units: [{ meter: 'character', quantity: characterCount(text) }] }] },
    });
  });

  it('is charged by the tokens that the provider reports', async () => {
    const { id } = await speak({ model: 'sandbox/storyteller', voice: 'basso' });

    const tokens = { prompt: Math.ceil(input.length / 4), completion: words * 4 };
    expect(await finalGeneration(gateway, id)).toMatchObject({
      tokens_prompt: tokens.prompt,
      tokens_completion: tokens.completion,
      total_cost: expect.closeTo(tokens.prompt * 0.00006 + tokens.completion * 0.0012, 12) as number,
    });
    const record = await manage(gateway, 'GET', `/generations/${id}`);
    expect(JSON.stringify(record.body)).toContain(`"meter":"audio_output","quantity":${tokens.completion}`);
  });

  it('arrives before the provider has ended', async () => {
    const startedAt = performance.now();
    const { response, leave } = await open({ input: `${input}\n@sandbox delay=400`, response_format: 'pcm' });
    const [first] = (await once(response, 'data')) as [Buffer];
    const firstMs = performance.now() - startedAt;
    leave();

    expect(first.length).toBeGreaterThan(0);
    expect(firstMs).toBeLessThan(words * 400);
  });

  it('is charged once, and completely, if the client leaves', async () => {
    const text = `${input}\n@sandbox delay=200 tokens=200`;
    const { response, leave } = await open({ input: text });
    await once(response, 'data');
    leave();

    const generation = await finalGeneration(gateway, String(response.headers['x-generation-id']));
    expect(generation).toMatchObject({ total_cost: characterCost(text), cancelled: true });
  });

  it.each(['break=3', 'reset=3'])(
    'is charged, and the connection is cut, if the provider breaks off: %s',
    async (fault) => {
      const text = `${input}\n@sandbox ${fault}`;
      const { response } = await open({ input: text, response_format: 'pcm' });
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      await new Promise((resolve) => response.once('close', resolve));

      expect(response.complete).toBe(false);
      expect(Buffer.concat(chunks).length).toBeGreaterThan(0);
      const generation = await finalGeneration(gateway, String(response.headers['x-generation-id']));
      expect(generation).toMatchObject({ total_cost: characterCost(text), finish_reason: 'error' });
    },
  );

  it.each(['error=503', 'break=0', 'null'])(
    'costs nothing if the provider fails before the first byte: %s',
    async (fault) => {
      const { status, id, error } = await speak({ input: `${input}\n@sandbox ${fault}` });

      expect([502, 503, 529]).toContain(status);
      expect(error!.message).toMatch(/\w/);
      expect(await finalGeneration(gateway, id)).toMatchObject({ api_type: 'tts', total_cost: 0 });
    },
  );

  it.each([
    ['response_format', { response_format: 'flac' }, /mp3 or wav or pcm/],
    ['response_format', { response_format: 'midi' }, /mp3/],
    ['voice', { model: 'sandbox/storyteller' }, /no default voice/],
    ['voice', { voice: 'a?b' }, /letters/],
    ['voice', { voice: '..' }, /letters/],
    ['input', { input: 'a'.repeat(4_097) }, /4096/],
    ['input', { input: '' }, /./],
    ['speed', { speed: 5 }, /./],
    ['input_references', { input_references: [] }, /not cloned/],
    ['instructions', { instructions: 'Softly', provider: { require_parameters: true } }, /not supported/],
  ])('is refused by name: %s', async (field, body, message) => {
    const { status, error } = await speak(body);

    expect([status, error!.param]).toEqual([400, field]);
    expect(error!.message).toMatch(message);
  });

  it('reports the fields that the model does not get', async () => {
    const { status, headers, id } = await speak({ instructions: 'Softly', language: 'en', speed: 1 });

    expect([status, headers.get('x-gateway-left-out')]).toEqual([200, 'language, instructions']);
    expect(await finalGeneration(gateway, id)).toMatchObject({ left_out: ['language', 'instructions'] });
  });

  it('is refused with 402 if its cost exceeds the limit of the key', async () => {
    const key = await keyWith({ limit: 0.01 });

    const { status } = await speak({}, key);

    expect(status).toBe(402);
  });

  it('is answered once for an idempotency key', async () => {
    const key = { 'idempotency-key': `speech-${Math.random()}` };

    const first = await speak({}, gateway.key, key);
    const second = await speak({}, gateway.key, key);

    expect([first.status, second.status]).toEqual([200, 409]);
  });

  it('has placeholders instead of values that the key protects', async () => {
    const secret = 'maria@example.com';
    const key = await keyWith({ sensitive_data: protecting });

    const protectedSound = await speak({ input: secret, response_format: 'pcm' }, key);
    const placeholder = await speak({ input: '[EMAIL_1]', response_format: 'pcm' });

    expect(protectedSound.sound.equals(placeholder.sound)).toBe(true);
    expect(protectedSound.sound.equals((await speak({ input: secret, response_format: 'pcm' })).sound)).toBe(false);
  });

  it('is estimated by its characters', async () => {
    const estimate = await post(gateway, '/audio/speech/estimate', { model: 'sandbox/speaker', input });

    const { data } = (await estimate.json()) as {
      data: { candidates: { min_cost_rub: string; max_cost_rub: string }[] };
    };
    expect(data.candidates[0]).toMatchObject({ min_cost_rub: '0.0555', max_cost_rub: '0.0555' });
  });

  it('is charged at most its hold for absurd usage', async () => {
    const absurd = { model: 'sandbox/storyteller', voice: 'alto', input: `${input}\n@sandbox usage=absurd` };
    const { id } = await speak(absurd);

    const { total_cost } = (await finalGeneration(gateway, id)) as { total_cost: number };
    const estimate = await post(gateway, '/audio/speech/estimate', absurd);
    const { data } = (await estimate.json()) as { data: { hold_rub: string } };
    expect(total_cost).toBeGreaterThan(0);
    expect(total_cost).toBeLessThanOrEqual(Number(data.hold_rub));
  });

  it('is charged by the length of the sound if no usage is reported', async () => {
    const { id } = await speak({
      model: 'sandbox/storyteller',
      voice: 'alto',
      input: `${input}\n@sandbox usage=none`,
      response_format: 'pcm',
    });

    expect(await finalGeneration(gateway, id)).toMatchObject({ tokens_completion: words * 4 });
  });

  it('has its models in the list', async () => {
    const response = await get(gateway, '/models?output_modalities=speech');

    const { data } = (await response.json()) as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toContain('sandbox/speaker');
  });
});

interface SpeechEvent {
  type: string;
  audio?: string;
  usage?: object;
  error?: object;
}

const eventsOf = (sound: Buffer) =>
  sound
    .toString()
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.split('data: ')[1]!) as SpeechEvent);

describe('speech as events', () => {
  it.each(['sandbox/speaker', 'sandbox/storyteller'])('has the sound, and the usage at the end: %s', async (model) => {
    const body = { model, voice: 'alto', response_format: 'pcm' };
    const { headers, sound, id } = await speak({ ...body, stream_format: 'sse' });

    const events = eventsOf(sound);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const bytes = events.flatMap(({ audio }) => (audio === undefined ? [] : [Buffer.from(audio, 'base64')]));
    expect(Buffer.concat(bytes).equals((await speak(body)).sound)).toBe(true);
    const { total_cost } = (await finalGeneration(gateway, id)) as { total_cost: number };
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { cost: total_cost } });
  });

  it('ends with an error event if the provider breaks off', async () => {
    const { sound } = await speak({ input: `${input}\n@sandbox break=3`, stream_format: 'sse' });

    expect(eventsOf(sound).at(-1)).toMatchObject({ type: 'error', error: { code: 502 } });
  });
});
