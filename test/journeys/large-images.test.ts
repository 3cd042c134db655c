/** Answers with images of many megabytes: their size is bounded, and no part of an image is logged. */

import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import { listen, type Listening } from '../support/listen.ts';

const MEBIBYTE = 1024 * 1024;
/** Beginning of the base64 of each image, which no log line has by chance. */
const MARK = 'TGFyZ2VJbWFnZU1hcms';

let upstream: Listening;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
let sentBytes = 0;

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const imageOf = (characters: number) =>
  chunk({ images: [{ type: 'image_url', image_url: { url: urlOf(characters) } }] });
const urlOf = (characters: number) => `data:image/png;base64,${MARK.padEnd(characters, 'A')}`;
const end = `${chunk({}, 'stop')}data: {"id":"c1","choices":[],"usage":{"prompt_tokens":5,"completion_tokens":1300,"total_tokens":1305,"completion_tokens_details":{"image_tokens":1290}}}\n\ndata: [DONE]\n\n`;

const answers: Record<string, (response: ServerResponse) => void> = {
  large: (response) => response.end(imageOf(11 * MEBIBYTE) + end),
  four: (response) => {
    for (let image = 0; image < 4; image += 1) response.write(imageOf(11 * MEBIBYTE));
    response.end(end);
  },
  'too large': (response) => response.end(imageOf(20 * MEBIBYTE) + end),
  'cut in the middle': (response) => {
    response.write(imageOf(2 * MEBIBYTE).slice(0, MEBIBYTE), () => response.destroy());
  },
  'a page': (response) => response.end(chunk({ images: [{ image_url: { url: '<html>' } }] }) + end),
  endless(response) {
    response.write(imageOf(MEBIBYTE).slice(0, -8));
    const block = Buffer.alloc(MEBIBYTE, 'A');
    const more = () => {
      while (!response.destroyed) {
        sentBytes += block.length;
        if (!response.write(block)) break;
      }
    };
    response.on('drain', more);
    more();
  },
};

beforeAll(async () => {
  upstream = await listen(
    createServer(async (request, response) => {
      const body = (await Array.fromAsync(request as AsyncIterable<Buffer>)).join('');
      const { messages } = JSON.parse(body) as { messages: { content: string }[] };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      answers[messages[0]!.content]!(response);
    }),
  );
  const provider = {
    id: 'painter',
    name: 'Painter',
    wire: 'openai-chat',
    base_url: upstream.url,
    data_policy: { logs_prompts: false, trains_on_prompts: false },
  };
  const endpoint = {
    provider: 'painter',
    pricing: { prompt: '0.001', completion: '0.001', image_output: '0.01' },
    quirks: { modalities: ['image'] },
  };
  catalog = catalogDirectory(
    [textModel('test/painter', [endpoint], { output_modalities: ['text', 'image'] })],
    [provider],
  );
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
  catalog.remove();
});

const drawn = (content: string, stream: boolean) =>
  post(gateway, '/chat/completions', {
    model: 'test/painter',
    messages: [{ role: 'user', content }],
    modalities: ['image', 'text'],
    stream,
  });

async function costOf(response: Response): Promise<number> {
  const generation = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
  return generation['total_cost'] as number;
}

describe('an image of many megabytes', () => {
  it.each([true, false])('arrives as it was sent, and never in a log (stream: %s)', async (stream) => {
    const response = await drawn('large', stream);

    expect(response.status).toBe(200);
    expect(await response.text()).toContain(`"${urlOf(11 * MEBIBYTE)}"`);
    expect(await costOf(response)).toBeCloseTo(5 * 0.001 + 10 * 0.001 + 1_290 * 0.01, 8);
    expect(gateway.log()).not.toContain(MARK);
  });

  it('ends an answer of more than 32 MiB, which is charged for the images that the client has', async () => {
    const response = await drawn('four', false);

    const { choices, usage } = (await response.json()) as {
      choices: { finish_reason: string; message: { images: unknown[] } }[];
      usage: { completion_tokens_details: { image_tokens: number } };
    };
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { images: { length: 3 } } });
    expect(usage.completion_tokens_details.image_tokens).toBe(3 * 1_290);
  });

  it.each(['too large', 'cut in the middle', 'a page'])('is an error that costs nothing: %s', async (content) => {
    const response = await drawn(content, true);

    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain(MARK);
    expect(await costOf(response)).toBe(0);
    expect(gateway.log()).not.toContain(MARK);
  });

  it('without an end is abandoned after a bounded number of bytes', async () => {
    const response = await drawn('endless', false);

    expect(response.status).toBe(502);
    expect(await costOf(response)).toBe(0);
    // The gateway reads 16 MiB of an event, and the network buffers some more.
    expect(sentBytes).toBeLessThan(40 * MEBIBYTE);
  });
});
