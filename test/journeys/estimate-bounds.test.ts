import { beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { shortRecording } from '../support/client-api-bodies.ts';
import { finalGeneration, get, post, said, type GatewayClient } from '../support/gateway.ts';
import { waveFile } from '../support/recordings.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

interface Bounds {
  min_cost_rub: string;
  input_cost_rub: string;
  max_cost_rub: string;
}

async function boundsOf(path: string, body: object): Promise<Bounds> {
  const response = await post(gateway, `${path}/estimate`, body);
  const { data } = (await response.json()) as { data: { candidates: Bounds[] } };
  return data.candidates[0]!;
}

async function chargedFor(path: string, body: object): Promise<Money> {
  const response = await post(gateway, path, body);
  const text = await response.text();
  expect([response.status, text]).toEqual([expect.toBeOneOf([200, 202]), expect.anything()]);
  const id = response.headers.get('x-generation-id')!;
  if (path === '/videos') {
    const state = async () => ((await (await get(gateway, `/videos/${id}`)).json()) as { status: string }).status;
    await expect.poll(state).toBe('completed');
  }
  const { total_cost: cost } = await finalGeneration(gateway, id);
  return Money.parse(String(cost));
}

const image = {
  type: 'image',
  source: {
    type: 'base64',
    media_type: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  },
};
const picture = `data:image/png;base64,${image.source.data}`;
const models = ['claude', 'gpt', 'bedrock', 'bedrock-claude', 'gemini', 'thinker', 'reasoner', 'priced'].map(
  (name) => `sandbox/${name}`,
);
const directives = ['tokens=1', 'cached=3 tokens=2', 'hidden=40', 'think', 'usage=none', 'refuse', 'usage=twice'];
const text = 'Привет, мир! '.repeat(30);
const message = (model: string, content: unknown) => ({
  model,
  max_tokens: 200,
  messages: [{ role: 'user', content }],
});
const judges = ['sandbox/judge', 'sandbox/jury', 'sandbox/pundit'];
const questions = {
  angry: { type: 'noul', instructions: 'Is the writer angry?' },
  topic: { type: 'choice', instructions: 'Which topic?', criteria: { parcel: 'A parcel', bill: 'A bill' } },
};
const search = { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }] };

const answers: [string, string, object][] = [
  ...models.flatMap((model) =>
    directives.map((words): [string, string, object] => [
      `${model} ${words}`,
      '/messages',
      message(model, said(text, `delay=0 ${words}`).content),
    ]),
  ),
  ['images', '/messages', message('sandbox/priced', [image, image, { type: 'text', text: 'Hi' }])],
  ['a search', '/messages', { ...message('sandbox/gpt', 'What is a token?\n@sandbox delay=0 searches=2'), ...search }],
  ['chat', '/chat/completions', { model: 'sandbox/gpt', max_tokens: 50, messages: [said('Hello', 'delay=0')] }],
  ['a response', '/responses', { model: 'sandbox/gpt', max_output_tokens: 50, input: 'Hello @sandbox delay=0' }],
  ...judges.map((model): [string, string, object] => [
    model,
    '/decisions',
    { model, state: 'Where is my parcel?', questions },
  ]),
  ['texts', '/embeddings', { model: 'sandbox/embedder', input: ['Where?', 'Late.'] }],
  ['a recording', '/audio/transcriptions', { model: 'sandbox/scribe', input_audio: { data: shortRecording } }],
  [
    'tokens of sound',
    '/audio/transcriptions',
    { model: 'sandbox/token-scribe', input_audio: { data: shortRecording } },
  ],
  ['documents', '/rerank', { model: 'sandbox/unit-ranker', query: 'Where?', documents: ['Here.', 'There.'] }],
  ['spoken characters', '/audio/speech', { model: 'sandbox/speaker', input: 'Hello, world.', voice: 'alto' }],
  ['an image', '/images', { model: 'sandbox/painter', prompt: 'A fox' }],
  ['an edit', '/images/edits', { model: 'sandbox/token-painter', prompt: 'A fox', images: [{ image_url: picture }] }],
  ['a long text', '/embeddings', { model: 'sandbox/embedder', input: text }],
  ['a video', '/videos', { model: 'sandbox/filmmaker', prompt: 'A fox @sandbox polls=0', duration: 5 }],
];

describe('the cost of an answer is between the bounds of its estimate for', () => {
  it.each(answers)('%s, %s', async (_, path, body) => {
    const { min_cost_rub: least, input_cost_rub: input, max_cost_rub: most } = await boundsOf(path, body);
    const charged = await chargedFor(path, body);

    const order = [least, charged.toString(), most].map((amount) => Money.parse(amount));
    expect(order.toSorted((a, b) => (a.exceeds(b) ? 1 : -1)).map(String)).toEqual(order.map(String));
    expect(Money.parse(input).exceeds(Money.parse(most))).toBe(false);
  });
});

describe('the price of the prompt includes', () => {
  it('the seconds of a recording, from its file', async () => {
    const short = { model: 'sandbox/scribe', input_audio: { data: waveFile(2).toString('base64') } };
    const long = { model: 'sandbox/scribe', input_audio: { data: waveFile(20).toString('base64') } };
    const [two, twenty] = await Promise.all([short, long].map((body) => boundsOf('/audio/transcriptions', body)));

    expect(Number(two!.input_cost_rub)).toBeGreaterThan(0);
    expect(Number(twenty!.input_cost_rub)).toBeCloseTo(10 * Number(two!.input_cost_rub));
  });

  it('the tokens of a recording in a chat, at their own price', async () => {
    const data = waveFile(20).toString('base64');
    const content = [{ type: 'input_audio', input_audio: { data, format: 'wav' } }];
    const body = { model: 'sandbox/narrator', messages: [{ role: 'user', content }] };

    const { input_cost_rub: input } = await boundsOf('/chat/completions', body);

    expect(Number(input)).toBeCloseTo(0.0032 * Math.ceil(data.length / 667));
  });

  it('the search units of documents', async () => {
    const body = { model: 'sandbox/unit-ranker', query: 'Where?', documents: ['Here.', 'There.'] };

    expect(Number((await boundsOf('/rerank', body)).input_cost_rub)).toBeGreaterThan(0);
  });

  it('the tokens of pictures, not the bytes of their files', async () => {
    const form = new FormData();
    const large = Buffer.concat([Buffer.from(image.source.data, 'base64'), Buffer.alloc(1_000_000)]);
    form.set('model', 'sandbox/token-painter');
    form.set('prompt', 'A fox');
    form.set('image', new File([large], 'a.png'));
    const response = await fetch(`${gateway.baseUrl}/images/edits/estimate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}` },
      body: form,
    });
    const { data } = (await response.json()) as { data: { input_tokens: number; candidates: Bounds[] } };

    expect(response.status).toBe(200);
    expect(data.input_tokens).toBeLessThan(20_000);
    expect(Number(data.candidates[0]!.input_cost_rub)).toBeGreaterThan(0);
  });
});

it('an endpoint with a fee for each request and image costs at least these fees', async () => {
  const { min_cost_rub: least } = await boundsOf('/messages', message('sandbox/priced', [image, image]));
  expect(least).toBe('1.25');
});
