/** Images as events, on every route for images. */

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, type GatewayClient } from '../support/gateway.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const prompt = 'A fox in the snow';
const painted = { model: 'sandbox/token-painter', prompt, quality: 'low', stream: true };
const LOW_TOKENS = 272;
const TOKENS_OF_PARTIAL = 100;
const costOf = (outputTokens: number) => 5 * 0.0005 + outputTokens * 0.003;

interface StreamedEvent {
  name: string | undefined;
  data: { type: string; b64_json?: string; usage?: Record<string, unknown>; error?: Record<string, unknown> };
}

function eventsIn(text: string): StreamedEvent[] {
  const blocks = text.split('\n\n').filter((block) => block.includes('data: ') && !block.endsWith('[DONE]'));
  return blocks.map((block) => ({
    name: /^event: (.*)$/m.exec(block)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as StreamedEvent['data'],
  }));
}

async function stream(path: string, body: object = {}) {
  const response = await post(gateway, path, { ...painted, ...body });
  const text = await response.text();
  const { headers, status } = response;
  return { status, headers, text, events: status === 200 ? eventsIn(text) : [], id: headers.get('x-generation-id')! };
}

const holdOf = async (body: object) => {
  const response = await post(gateway, '/images/estimate', { ...painted, ...body });
  return Number(((await response.json()) as { data: { hold_rub: string } }).data.hold_rub);
};

const typesOf = (events: StreamedEvent[]) => events.map(({ data }) => data.type);
const isPng = (base64 = '') => Buffer.from(base64, 'base64').subarray(1, 4).toString() === 'PNG';

describe('a streamed image', () => {
  it('comes in OpenRouter’s events, which have no names', async () => {
    const { headers, text, events, id } = await stream('/images', { partial_images: 2 });

    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(events.map(({ name }) => name)).toEqual([undefined, undefined, undefined]);
    expect(events.map(({ data }) => ({ ...data, b64_json: isPng(data.b64_json) }))).toEqual([
      { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: true },
      { type: 'image_generation.partial_image', partial_image_index: 1, b64_json: true },
      {
        type: 'image_generation.completed',
        b64_json: true,
        media_type: 'image/png',
        created: expect.any(Number) as number,
        usage: {
          prompt_tokens: 5,
          completion_tokens: LOW_TOKENS + 2 * TOKENS_OF_PARTIAL,
          total_tokens: 5 + LOW_TOKENS + 2 * TOKENS_OF_PARTIAL,
          completion_tokens_details: { image_tokens: LOW_TOKENS + 2 * TOKENS_OF_PARTIAL },
          output_images: 1,
          cost: expect.closeTo(costOf(LOW_TOKENS + 2 * TOKENS_OF_PARTIAL), 12) as number,
        },
      },
    ]);
    expect(text).toMatch(/data: \[DONE\]\n\n$/);
    expect(await finalGeneration(gateway, id)).toMatchObject({
      api_type: 'image',
      streamed: true,
      finish_reason: 'stop',
      total_cost: expect.closeTo(costOf(LOW_TOKENS + 2 * TOKENS_OF_PARTIAL), 12) as number,
    });
  });

  it.each([
    ['/images/generations', 'image_generation', {}],
    ['/images/edits', 'image_edit', { images: [{ image_url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA' }] }],
  ])('comes over %s in OpenAI’s events, each with its name', async (path, kind, more) => {
    const { events } = await stream(path, { ...more, partial_images: 1, size: '1024x1024' });

    expect(events.map(({ name }) => name)).toEqual([`${kind}.partial_image`, `${kind}.completed`]);
    const common = {
      b64_json: expect.toSatisfy(isPng) as string,
      created_at: expect.any(Number) as number,
      background: 'auto',
      output_format: 'png',
      quality: 'low',
      size: '1024x1024',
    };
    expect(events[0]!.data).toEqual({ type: `${kind}.partial_image`, partial_image_index: 0, ...common });
    const [, { data }] = events as [StreamedEvent, StreamedEvent];
    expect(data).toEqual({ type: `${kind}.completed`, ...common, usage: expect.any(Object) as object });
    expect(data.usage).toMatchObject({ output_tokens: LOW_TOKENS + TOKENS_OF_PARTIAL, output_images: 1 });
  });

  it('is the only event without partial images, and from models that send none', async () => {
    const none = await stream('/images/generations');
    const unable = await stream('/images/generations', { model: 'sandbox/painter', partial_images: 3 });

    expect(typesOf(none.events)).toEqual(['image_generation.completed']);
    expect(typesOf(unable.events)).toEqual(['image_generation.completed']);
    expect(unable.headers.get('x-gateway-left-out')).toBe('quality, partial_images');
    expect(unable.events[0]!.data.usage).toMatchObject({ output_images: 1, cost: 4 });
  });

  it('is held with its partial images', async () => {
    expect((await holdOf({ partial_images: 3 })) - (await holdOf({}))).toBeCloseTo(3 * TOKENS_OF_PARTIAL * 0.003, 12);
  });

  it('is charged at most its hold for absurd usage', async () => {
    const absurd = { prompt: `${prompt}\n@sandbox usage=absurd`, partial_images: 1 };
    const { id } = await stream('/images', absurd);

    const { total_cost: cost } = await finalGeneration(gateway, id);
    expect(cost).toBeGreaterThan(1);
    expect(cost).toBeLessThanOrEqual(await holdOf(absurd));
  });
});

describe('a streamed image that is not finished', () => {
  it.each(['error=503', 'break=0', 'null', 'fail=0'])(
    'has a status, and costs nothing, if the provider fails before the first image: %s',
    async (fault) => {
      const faulty = { prompt: `${prompt}\n@sandbox ${fault}`, partial_images: fault === 'null' ? 0 : 2 };
      const { status, id } = await stream('/images/generations', faulty);

      expect([502, 503, 529]).toContain(status);
      expect(await finalGeneration(gateway, id)).toMatchObject({ total_cost: 0, api_type: 'image' });
    },
  );

  it.each([
    ['/images/generations', 'break=1'],
    ['/images/generations', 'garbage=1'],
    ['/images', 'fail=1'],
  ])('ends with an error event, and costs nothing: %s, %s', async (path, fault) => {
    const faulty = { prompt: `${prompt}\n@sandbox ${fault} delay=20`, partial_images: 2 };
    const { status, events, id } = await stream(path, faulty);

    expect([status, ...typesOf(events)]).toEqual([200, 'image_generation.partial_image', 'error']);
    const code = path === '/images' ? (expect.stringMatching(/^50\d$/) as string) : (expect.any(Number) as number);
    expect(events.at(-1)).toMatchObject({
      name: path === '/images' ? undefined : 'error',
      data: { error: { message: expect.stringMatching(/\w/) as string, code } },
    });
    expect(await finalGeneration(gateway, id)).toMatchObject({ total_cost: 0, finish_reason: 'error' });
  });

  it('is charged if the client leaves after a partial image, because the provider draws on', async () => {
    const headers = { 'content-type': 'application/json', 'x-api-key': gateway.key };
    const request = httpRequest(`${gateway.baseUrl}/images/generations`, { method: 'POST', headers });
    request.on('error', () => {});
    request.end(JSON.stringify({ ...painted, partial_images: 3, prompt: `${prompt}\n@sandbox delay=3000` }));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    await once(response, 'data');
    request.destroy();

    expect(await finalGeneration(gateway, String(response.headers['x-generation-id']))).toMatchObject({
      ending: 'client_left',
      cancelled: true,
      estimated: true,
      tokens_completion: 400 + 3 * TOKENS_OF_PARTIAL,
    });
  });
});
