/** Music in chat completions (Google's Lyria models), with the `openai` client and over HTTP. */

import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
let client: OpenAI;
beforeAll(async () => {
  gateway = await commonGateway();
  client = new OpenAI({ baseURL: gateway.baseUrl, apiKey: gateway.key, maxRetries: 0 });
});

/** Price of a song in RUB. */
const SONG = 8;
/** The sandbox's MP3 for one word has eight frames. */
const WORD_BYTES = 8 * 417;
const MP3_FRAME = 'fffb';
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

const ask = (text: string) => [{ role: 'user' as const, content: text }];
const composing = (directives: string, more: object = {}) =>
  ({
    model: 'sandbox/composer',
    messages: ask(`A sea shanty.\n@sandbox ${directives}`),
    modalities: ['text', 'audio'],
    ...more,
  }) as OpenAI.ChatCompletionCreateParamsNonStreaming;

interface Settled {
  usage: string;
  total_cost: number;
  cancelled: boolean;
  num_media_completion: number | null;
}
const settledOf = async (id: string) => (await finalGeneration(gateway, id)) as unknown as Settled;
const idOf = (response: Response) => response.headers.get('x-generation-id')!;
const refusalOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { metadata?: { field?: string } } };
  return [response.status, error.metadata?.field];
};

describe('a song', () => {
  it('is an MP3 with its lyrics as transcript', async () => {
    const { choices } = await client.chat.completions.create(composing('tokens=3'));

    const { content, audio } = choices[0]!.message;
    expect(content).toBeNull();
    expect(choices[0]!.finish_reason).toBe('stop');
    expect(audio).toMatchObject({ transcript: '[Verse] la0 la1 la2' });
    expect(audio!.id).toMatch(/^audio_\w+$/);
    expect(audio!.expires_at).toBeGreaterThan(1_700_000_000);
    const file = Buffer.from(audio!.data, 'base64');
    expect(file.toString('hex', 0, 2)).toBe(MP3_FRAME);
    expect(file).toHaveLength(3 * WORD_BYTES);
  });

  it('is streamed in pieces that can be decoded one by one', async () => {
    const stream = await client.chat.completions.create({
      ...composing('tokens=40', { audio: { format: 'mp3' } }),
      stream: true,
    });

    const pieces: Buffer[] = [];
    let transcript = '';
    for await (const { choices } of stream) {
      const { audio } = choices[0]!.delta;
      if (audio?.data) pieces.push(Buffer.from(audio.data, 'base64'));
      transcript += audio?.transcript ?? '';
    }
    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces)).toHaveLength(40 * WORD_BYTES);
    expect(transcript).toContain('la39');
  });

  it.each(['usage=reported', 'usage=none', 'usage=absurd'])('costs its fixed price: %s', async (reported) => {
    const { id, usage } = await client.chat.completions.create(composing(`tokens=3 ${reported}`));

    expect(usage).toMatchObject({ cost: SONG });
    expect(await settledOf(id)).toMatchObject({ total_cost: SONG, num_media_completion: 1 });
  });

  it('is composed from images', async () => {
    const content = [
      { type: 'text', text: 'The mood of this.\n@sandbox tokens=1' },
      { type: 'image_url', image_url: { url: PNG } },
    ];
    const { choices } = await client.chat.completions.create(
      composing('', { messages: [{ role: 'user', content }] as never }),
    );

    expect(choices[0]!.message.audio!.transcript).toContain('1 image(s)');
  });

  it('is composed from the system prompt too', async () => {
    const messages = [{ role: 'system', content: '@sandbox tokens=2' }, ...ask('A song.')];
    const { choices } = await client.chat.completions.create(composing('', { messages }));

    expect(choices[0]!.message.audio!.transcript).toBe('[Verse] la0 la1');
  });

  it('has a price in the list of models', async () => {
    const model: unknown = await (await get(gateway, '/models/sandbox/composer')).json();

    expect(model).toMatchObject({
      data: { pricing: { song: '8', prompt: '0' }, architecture: { output_modalities: ['text', 'audio'] } },
    });
  });
});

describe('a song that was not made', () => {
  it.each([
    ['a refused prompt', 'refuse'],
    ['an answer of text alone', 'null'],
    ['audio that is not MP3', 'garbage'],
    ['an answer that breaks off', 'break'],
    ['an answer that is too large', 'tokens=5000'],
    ['an error of the provider', 'error=503'],
  ])('is free: %s', async (_, directives) => {
    const response = await post(gateway, '/chat/completions', composing(directives));
    const text = await response.text();

    expect(response.status).toBe(directives === 'refuse' ? 200 : directives === 'error=503' ? 529 : 502);
    expect(text).not.toContain('"data"');
    expect(await settledOf(idOf(response))).toMatchObject({ total_cost: 0 });
  });

  it('has the explanation of a refusal', async () => {
    const { choices } = await client.chat.completions.create(composing('refuse tokens=1'));

    expect(choices[0]).toMatchObject({ finish_reason: 'content_filter' });
    expect(choices[0]!.message.audio).toBeUndefined();
  });
});

async function askWithLimit(limit: number): Promise<Response> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: `songs ${limit}`, limit });
  const { key } = body as { key: string };
  return post(gateway, '/chat/completions', composing('', { max_tokens: 60_000 }), { 'x-api-key': key });
}

describe('the hold for a song', () => {
  it('covers exactly one song, whatever max_tokens is', async () => {
    expect((await askWithLimit(SONG - 0.01)).status).toBe(402);
    expect((await askWithLimit(SONG)).status).toBe(200);
  });

  it('is not called the price of the prompt', async () => {
    const { error } = (await (await askWithLimit(SONG - 0.02)).json()) as {
      error: { message: string; metadata: object };
    };

    expect(error.message).toMatch(/^To begin, this request needs 8 RUB, /);
    expect(error.metadata).toMatchObject({ required_input_rub: '0', required_output_rub: '8' });
  });

  it.each([
    [SONG, 200],
    [SONG - 0.01, 404],
  ])('is compared with max_price.request: %d', async (request, status) => {
    const response = await post(gateway, '/chat/completions', composing('', { provider: { max_price: { request } } }));

    expect(response.status).toBe(status);
  });

  it('is estimated without a request to the provider', async () => {
    const response = await post(gateway, '/chat/completions/estimate', composing(''));

    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(/"8(\.0+)?"/);
  });
});

describe('a request for music', () => {
  it.each([
    ['a voice', { audio: { voice: 'alloy', format: 'mp3' } }, 'audio.voice'],
    ['a format of speech', { audio: { format: 'wav' } }, 'audio.format'],
    ['text alone', { modalities: ['text'] }, 'modalities'],
    ['tools', { tools: [{ type: 'function', function: { name: 'look', parameters: {} } }] }, 'tools'],
    [
      'an earlier answer',
      { messages: [...ask('A song.'), { role: 'assistant', content: 'La.' }, ...ask('Longer.')] },
      'messages',
    ],
    [
      'a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'array' } } } },
      'response_format',
    ],
  ])('is refused by name: %s', async (_, more, field) => {
    const response = await post(gateway, '/chat/completions', composing('', more));

    expect(await refusalOf(response)).toEqual([400, field]);
  });

  it.each([
    ['/messages', { max_tokens: 9, messages: ask('A song.') }],
    ['/responses', { input: 'A song.' }],
  ])('is refused outside of chat completions: %s', async (path, body) => {
    const response = await post(gateway, path, { model: 'sandbox/composer', ...body });

    expect(await refusalOf(response)).toEqual([400, 'modalities']);
  });

  it('is refused as MP3 by a model that speaks, and without a voice', async () => {
    const narrator = { model: 'sandbox/narrator', messages: ask('Hi.'), modalities: ['text', 'audio'] };
    const mp3 = await post(gateway, '/chat/completions', { ...narrator, audio: { voice: 'alloy', format: 'mp3' } });
    const silent = await post(gateway, '/chat/completions', { ...narrator, audio: { format: 'wav' } });

    expect(await refusalOf(mp3)).toEqual([400, 'audio.format']);
    expect(await refusalOf(silent)).toEqual([400, 'audio']);
  });
});
