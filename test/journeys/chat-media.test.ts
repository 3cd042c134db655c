/** Chat completions with images and speech, with the `openai` client and over HTTP. */

import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { readPng } from '../support/png.ts';

let gateway: GatewayClient;
let client: OpenAI;
beforeAll(async () => {
  gateway = await commonGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});

interface Image {
  type: string;
  image_url: { url: string };
}
type Media = { content: string | null; images?: Image[]; reasoning_details?: object[] };

const ask = (text: string) => [{ role: 'user' as const, content: text }];
const drawing = (model: string, more: object = {}) =>
  ({ model, messages: ask('Draw a cat.\n@sandbox delay=0'), modalities: ['image', 'text'], ...more }) as never;

const PNG = 'data:image/png;base64,';
const pngIn = ({ image_url: { url } }: Image) => readPng(url.slice(PNG.length));

async function drawn(model: string, more: object = {}) {
  const completion = await client.chat.completions.create(drawing(model, more));
  return completion as unknown as OpenAI.ChatCompletion & { usage: Usage; choices: { message: Media }[] };
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  completion_tokens_details: { image_tokens?: number; audio_tokens?: number };
  cost: number;
}

const painters = ['sandbox/illustrator', 'sandbox/sketcher'];

describe.each(painters)('an image of the chat model %s', (model) => {
  it('opens, and is next to the text', async () => {
    const { choices } = await drawn(model, { image_config: { aspect_ratio: '16:9' } });

    const { content, images } = choices[0]!.message;
    expect(content).toContain('Hello from the sandbox!');
    expect(images).toHaveLength(1);
    expect(pngIn(images![0]!)).toEqual({ width: 1_024, height: 576 });
  });

  it('has a price of its own, which the record proves', async () => {
    const { id, usage } = await drawn(model);

    const image = 1_290;
    expect(usage.completion_tokens_details.image_tokens).toBe(image);
    const text = usage.completion_tokens - image;
    expect(usage.cost).toBeCloseTo(usage.prompt_tokens * 0.0002 + text * 0.0012 + image * 0.003, 10);
    const generation = await finalGeneration(gateway, id);
    expect(generation).toMatchObject({
      total_cost: usage.cost,
      native_tokens_completion: usage.completion_tokens,
      native_tokens_completion_images: image,
      num_media_completion: 1,
    });
  });

  it('comes in one event of a stream, even if the events are cut anywhere', async () => {
    const stream = await client.chat.completions.create(
      drawing(model, { stream: true, messages: ask('Draw a cat.\n@sandbox delay=0 cut') }),
    );

    const images: Image[] = [];
    let text = '';
    for await (const { choices } of stream as unknown as AsyncIterable<OpenAI.ChatCompletionChunk>) {
      const delta = choices[0]!.delta as Media;
      images.push(...(delta.images ?? []));
      text += delta.content ?? '';
    }
    expect(text).toContain('Привет!');
    expect(images.map(pngIn)).toEqual([{ width: 1_024, height: 1_024 }]);
  });

  it('is read by the model in the next turn', async () => {
    const first = await drawn(model);
    const { choices } = await drawn(model, {
      messages: [
        ...ask('Draw a cat.\n@sandbox delay=0'),
        first.choices[0]!.message,
        ...ask('Now a dog.\n@sandbox delay=0'),
      ],
    });

    expect(choices[0]!.message.content).toContain('I was shown 1 image(s).');
  });

  it('costs nothing if the provider breaks off before any output', async () => {
    const response = await post(gateway, '/chat/completions', drawing(model, { messages: ask('@sandbox break=0') }));

    expect(response.status).toBe(502);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ total_cost: 0 });
  });

  it('is not charged if the provider breaks off before it, unlike the text that the client has', async () => {
    const body = drawing(model, { stream: true, messages: ask('@sandbox delay=20 tokens=8 break=8') });
    const response = await post(gateway, '/chat/completions', body);

    expect(await response.text()).not.toContain(PNG);
    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ cancelled: true });
    const {
      native_tokens_completion: tokens,
      native_tokens_prompt: prompt,
      total_cost: cost,
    } = generation as unknown as Numbers;
    expect(tokens).toBeLessThan(100);
    expect(cost).toBeCloseTo(prompt * 0.0002 + tokens * 0.0012, 10);
  });

  it('is charged as one image if the provider reports no usage', async () => {
    const { usage } = await drawn(model, { messages: ask('Draw.\n@sandbox delay=0 tokens=4 usage=none') });

    expect(usage.completion_tokens_details.image_tokens).toBe(1_290);
    expect(usage.completion_tokens).toBeLessThan(1_330);
  });
});

describe('the hold for an image', () => {
  it('covers every token at the price of images, so that no limit is exceeded', async () => {
    const { body } = await manage(gateway, 'POST', '/keys', { name: 'images', limit: 5 });
    const { key } = body as { key: string };
    const ask = (more: object) =>
      post(gateway, '/chat/completions', drawing('sandbox/illustrator', more), { 'x-api-key': key });

    const tooMuch = await ask({});
    expect(tooMuch.status).toBe(402);
    const bounded = await ask({ max_tokens: 1_400 });
    expect(bounded.status).toBe(200);
    expect(((await bounded.json()) as { usage: Usage }).usage.cost).toBeLessThanOrEqual(5);
  });

  it('is estimated without a request to the provider', async () => {
    const response = await post(
      gateway,
      '/chat/completions/estimate',
      drawing('sandbox/illustrator', { max_tokens: 1_000 }),
    );

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('sandbox/illustrator');
  });
});

interface Numbers {
  native_tokens_completion: number;
  native_tokens_prompt: number;
  total_cost: number;
}

const speaking = (more: object = {}) =>
  ({
    model: 'sandbox/narrator',
    messages: ask('Speak.\n@sandbox delay=0 tokens=5'),
    modalities: ['text', 'audio'],
    audio: { voice: 'alloy', format: 'wav' },
    ...more,
  }) as OpenAI.ChatCompletionCreateParamsNonStreaming;

/** Five words of 200 ms each, as 16-bit mono audio at 24 kHz. */
const SPOKEN_BYTES = 5 * 9_600;

describe('a spoken answer', () => {
  it('is a WAV file with its transcript', async () => {
    const { choices } = await client.chat.completions.create(speaking());

    const { content, audio } = choices[0]!.message;
    expect(content).toBeNull();
    expect(audio).toMatchObject({ transcript: 'word0 word1 word2 word3 word4 ' });
    expect(audio!.expires_at).toBeGreaterThan(1_700_000_000);
    expect(audio!.id).toMatch(/^audio_\w+$/);
    const file = Buffer.from(audio!.data, 'base64');
    expect(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 12)).toBe('RIFFWAVE');
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    expect(file.readUInt32LE(40)).toBe(SPOKEN_BYTES);
    expect(file).toHaveLength(44 + SPOKEN_BYTES);
  });

  it('is streamed as PCM, in pieces that can be decoded one by one', async () => {
    const stream = await client.chat.completions.create({
      ...speaking({ audio: { voice: 'alloy', format: 'pcm16' }, messages: ask('@sandbox delay=0 tokens=5 cut') }),
      stream: true,
    });

    let [bytes, transcript] = [0, ''];
    for await (const { choices } of stream) {
      const { audio } = choices[0]!.delta;
      bytes += Buffer.from(audio?.data ?? '', 'base64').length;
      transcript += audio?.transcript ?? '';
    }
    expect(bytes).toBe(SPOKEN_BYTES);
    expect(transcript).toBe('word0 word1 word2 word3 word4 ');
  });

  it.each(['usage=twice', 'usage=none'])('is charged by its tokens of speech and of text: %s', async (fault) => {
    const completion = await client.chat.completions.create(
      speaking({ messages: ask(`@sandbox delay=0 tokens=5 ${fault}`) }),
    );

    const usage = completion.usage as unknown as Usage;
    const spoken = 20;
    expect(usage.completion_tokens_details.audio_tokens).toBe(spoken);
    const text = usage.completion_tokens - spoken;
    expect(text).toBeGreaterThan(0);
    expect(text).toBeLessThan(10);
    expect(usage.cost).toBeCloseTo(usage.prompt_tokens * 0.00015 + text * 0.0006 + spoken * 0.0064, 10);
    const generation = await finalGeneration(gateway, completion.id);
    expect(generation).toMatchObject({ total_cost: usage.cost, num_media_completion: 1 });
  });

  it('is charged up to the point at which the client disconnects', async () => {
    const leaving = new AbortController();
    const body = speaking({
      audio: { voice: 'alloy', format: 'pcm16' },
      stream: true as never,
      messages: ask('@sandbox delay=50 tokens=400'),
    });
    const response = await fetch(`${gateway.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const reader = response.body!.getReader();
    for (let read = 0; read < 60_000;) read += (await reader.read()).value!.length;
    leaving.abort();

    const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(generation).toMatchObject({ cancelled: true });
    const { native_tokens_completion: tokens, total_cost: cost } = generation as unknown as Numbers;
    expect(tokens).toBeGreaterThan(15);
    expect(tokens).toBeLessThan(400);
    expect(cost).toBeGreaterThan(tokens * 0.0006);
  });

  it('is continued by its transcript, and never by an id alone', async () => {
    const spoken = (await client.chat.completions.create(speaking())).choices[0]!.message;
    const messages = (audio: object) => [
      ...ask('Speak.\n@sandbox delay=0'),
      { role: 'assistant', content: null, audio },
      ...ask('And now?\n@sandbox delay=0 tokens=2'),
    ];
    const { choices } = await client.chat.completions.create(
      speaking({ messages: [...ask('Speak.'), spoken, ...ask('And now?\n@sandbox delay=0 tokens=2')] }),
    );
    expect(choices[0]!.message.audio!.transcript).toBe('word0 word1 ');

    const refused = await post(
      gateway,
      '/chat/completions',
      speaking({ messages: messages({ id: 'audio_1' }) as never }),
    );
    expect(await refusalOf(refused)).toEqual([400, 'messages.1.audio.transcript']);
  });

  it('is text alone if the request has a recording and no output modalities', async () => {
    const data = Buffer.from('RIFF....WAVEfmt ').toString('base64');
    const content = [
      { type: 'input_audio', input_audio: { data, format: 'wav' } },
      { type: 'text', text: 'What is said?\n@sandbox delay=0' },
    ];
    const response = await post(gateway, '/chat/completions', {
      model: 'sandbox/narrator',
      messages: [{ role: 'user', content }],
    });

    expect(response.status).toBe(200);
    expect(await response.text()).toContain('I was played 1 recording(s).');
  });
});

async function refusalOf(response: Response): Promise<[number, string | undefined]> {
  const { error } = (await response.json()) as { error: { metadata?: { field?: string } } };
  return [response.status, error.metadata?.field];
}

describe('a request for images or speech', () => {
  const words = ask('Hello\n@sandbox delay=0');
  const refused: [string, string, object, string][] = [
    ['a model of text', '/chat/completions', { model: 'sandbox/gpt', modalities: ['image', 'text'] }, 'model'],
    [
      'a model that draws',
      '/chat/completions',
      { model: 'sandbox/sketcher', modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } },
      'model',
    ],
    [
      'a fallback of text',
      '/chat/completions',
      { model: 'sandbox/sketcher', models: ['sandbox/gpt'], modalities: ['image'] },
      'models.0',
    ],
    ['a model that draws, without modalities', '/chat/completions', { model: 'sandbox/illustrator' }, 'modalities'],
    ['a model that speaks, without modalities', '/chat/completions', { model: 'sandbox/narrator' }, 'modalities'],
    [
      'a size that the model does not draw',
      '/chat/completions',
      { model: 'sandbox/illustrator', modalities: ['image'], image_config: { image_size: '4K' } },
      'image_config.image_size',
    ],
    [
      'speech without a voice',
      '/chat/completions',
      { model: 'sandbox/narrator', modalities: ['text', 'audio'] },
      'audio',
    ],
    [
      'a voice without speech',
      '/chat/completions',
      { model: 'sandbox/gpt', audio: { voice: 'a', format: 'wav' } },
      'audio',
    ],
    [
      'an unknown combination',
      '/chat/completions',
      { model: 'sandbox/narrator', modalities: ['image', 'audio'] },
      'modalities',
    ],
    [
      'a format that no provider streams',
      '/chat/completions',
      { model: 'sandbox/narrator', modalities: ['text', 'audio'], audio: { voice: 'a', format: 'mp3' } },
      'audio.format',
    ],
    [
      'a stream of WAV',
      '/chat/completions',
      { model: 'sandbox/narrator', stream: true, modalities: ['text', 'audio'], audio: { voice: 'a', format: 'wav' } },
      'audio.format',
    ],
    [
      'an unknown setting',
      '/chat/completions',
      { model: 'sandbox/sketcher', modalities: ['image'], image_config: { strength: 1 } },
      'image_config.strength',
    ],
    [
      'the Messages API',
      '/messages',
      { model: 'sandbox/sketcher', max_tokens: 9, modalities: ['image', 'text'] },
      'modalities',
    ],
    [
      'speech in the Messages API',
      '/messages',
      { model: 'sandbox/gpt', max_tokens: 9, audio: { voice: 'a' } },
      'audio',
    ],
    [
      'a model that draws, in the Messages API',
      '/messages',
      { model: 'sandbox/sketcher', max_tokens: 9 },
      'modalities',
    ],
  ];

  it.each(refused)('is refused by name: %s', async (_, path, body, field) => {
    const response = await post(gateway, path, { messages: words, ...body });

    expect(await refusalOf(response)).toEqual([400, field]);
  });

  it.each(['modalities', 'audio', 'image_config'])('is refused by the Responses API: %s', async (field) => {
    const value = field === 'modalities' ? ['image', 'text'] : { voice: 'a' };
    const response = await post(gateway, '/responses', { model: 'sandbox/gpt', input: 'Hello', [field]: value });

    const [status, refused] = await refusalOf(response);
    expect(status).toBe(400);
    expect(refused?.split('.')[0]).toBe(field);
  });

  it('for text alone changes nothing', async () => {
    const response = await post(gateway, '/chat/completions', {
      model: 'sandbox/gpt',
      messages: words,
      modalities: ['text'],
    });

    expect(response.status).toBe(200);
  });
});
