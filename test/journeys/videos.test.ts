import { OpenRouter } from '@openrouter/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { manage } from '../support/manage.ts';
import { finalGeneration, get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import {
  filmCatalog,
  startVideoProvider,
  videoBytes,
  type VideoProvider,
  type VideoScript,
} from '../support/video-provider.ts';
import { PATIENCE_MS } from '../support/patience.ts';

let provider: VideoProvider;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  provider = await startVideoProvider();
  const pricing = { prompt: '0', completion: '0' };
  const { models, providers } = filmCatalog(provider.url, ['one']);
  catalog = catalogDirectory([...models, textModel('test/text', [{ provider: 'anthropic', pricing }])], providers);
  gateway = await startGateway({ args: ['--catalog', catalog.path] });
});
afterAll(async () => {
  await gateway.stop();
  await provider.stop();
  catalog.remove();
});

interface Video {
  id: string;
  polling_url: string;
  status: string;
  unsigned_urls?: string[];
  usage?: { cost: number };
  error?: string;
}

async function keyWith(fields: object): Promise<RunningGateway> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'films', ...fields });
  return { ...gateway, key: body.key as string };
}

const film = (script: VideoScript, more: object = {}) =>
  post(gateway, '/videos', { model: 'test/film', prompt: JSON.stringify(script), ...more });

const logged = () =>
  gateway
    .log()
    .split('\n')
    .filter((line) => !line.includes('"route":"get-video"'))
    .join('\n') + provider.requests.join('\n');

async function ended(pollingUrl: string): Promise<Video> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    if (performance.now() > deadline) throw new Error(`No end of a video: ${logged()}`);
    const answer = await fetch(pollingUrl, { headers: { authorization: `Bearer ${gateway.key}` } });
    const video = (await answer.json()) as Video;
    if (video.usage) return video;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function newWorkspace(): Promise<string> {
  const { body } = await manage(gateway, 'POST', '/workspaces', { name: 'Others', slug: 'others' });
  return body.data.id as string;
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error(`It did not happen: ${logged()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

const prompts = () => provider.submitted.map((body) => body['prompt'] as string);
const protecting = (action: string) => keyWith({ sensitive_data: { enabled: true, action, categories: ['email'] } });

describe.concurrent('a video request', () => {
  it('is made, charged once, and can be read in ranges', async () => {
    const answer = await film({ file: [{ bytes: 20_000_000 }] }, { duration: 10 });
    const submitted = (await answer.json()) as Video;
    expect([answer.status, submitted]).toEqual([
      202,
      {
        id: answer.headers.get('x-generation-id'),
        generation_id: submitted.id,
        polling_url: `${gateway.baseUrl}/videos/${submitted.id}`,
        status: 'pending',
      },
    ]);
    const early = await get(gateway, `/videos/${submitted.id}/content`);

    const video = await ended(submitted.polling_url);

    expect(early.status).toBe(409);
    expect(video).toMatchObject({ status: 'completed', usage: { cost: 125 } });
    const [url] = video.unsigned_urls!;
    const content = await get(gateway, url!.slice(gateway.baseUrl.length));
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect(Buffer.from(await content.arrayBuffer()).equals(videoBytes(20_000_000))).toBe(true);
    // Browsers send the origin `null` when they follow the redirect for a page of another origin.
    const part = await fetch(content.url, { headers: { range: 'bytes=0-4', origin: 'null' } });
    expect([part.status, await part.text()]).toEqual([206, 'frame']);
    expect(part.headers.get('access-control-allow-origin')).toBe('*');
    expect(await finalGeneration(gateway, video.id)).toMatchObject({
      api_type: 'video',
      num_media_completion: 1,
      total_cost: 125,
      provider_name: 'Provider one',
      finish_reason: 'completed',
    });
  });

  it('is made once, however often it is sent with one Idempotency-Key', async () => {
    const script = JSON.stringify({ file: [{ bytes: 1_001 }] });
    const ask = (key: string, prompt = script) =>
      post({ ...gateway, key }, '/videos', { model: 'test/film', prompt }, { 'idempotency-key': 'one-film' });

    const answers = await Promise.all([1, 2, 3].map(() => ask(gateway.key)));
    const again = await ask(gateway.key);

    const [id] = answers.map((answer) => answer.headers.get('x-generation-id'));
    for (const answer of [...answers, again]) {
      expect([answer.status, answer.headers.get('x-generation-id')]).toEqual([202, id]);
      expect(await answer.json()).toMatchObject({ id });
    }
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    await ended(`${gateway.baseUrl}/videos/${id}`);
    expect(prompts().filter((prompt) => prompt === script)).toHaveLength(1);
    expect((await ask(gateway.key, '{}')).status).toBe(409);
    const other = await ask((await keyWith({})).key);
    expect(((await other.json()) as Video).id).not.toBe(id);
  });

  it('is made once for concurrent requests with one Idempotency-Key, also with room for only one', async () => {
    const { body: made } = await manage(gateway, 'POST', '/keys', { name: 'one film', limit: 100 });
    const body = { model: 'test/film', prompt: JSON.stringify({ file: [{ bytes: 1_003 }] }) };
    const ask = () => post({ ...gateway, key: made.key }, '/videos', body, { 'idempotency-key': 'one-of-many' });

    const answers = await Promise.all(Array.from({ length: 30 }, ask));

    const ids = new Set(answers.map((answer) => answer.headers.get('x-generation-id')));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(ids.size).toBe(1);
    const { body: list } = await manage(gateway, 'GET', `/generations?api_key_hash=${made.data.hash}`);
    expect(list.data.map(({ id }: Video) => id)).toEqual([...ids]);
  });

  it('is polled at its provider no more often for many polls of its client, and is hidden from other workspaces', async () => {
    const { id } = (await (await film({ poll: ['in_progress'] })).json()) as Video;
    const stranger = await keyWith({ workspace_id: await newWorkspace() });
    const asked = () => provider.requests.filter((request) => request === `GET /one/videos/${id}`).length;
    await until(() => asked() > 0);
    const before = asked();

    const polls = await Promise.all(Array.from({ length: 100 }, () => get(gateway, `/videos/${id}`)));

    const states = await Promise.all(polls.map(async (poll) => ((await poll.json()) as Video).status));
    expect(new Set(states)).toEqual(new Set(['in_progress']));
    expect(asked() - before).toBeLessThanOrEqual(1);
    for (const path of [`/videos/${id}`, `/videos/${id}/content`]) {
      expect((await get(stranger, path)).status).toBe(404);
    }
  });

  it('that failed has an error message of the gateway, and no file', async () => {
    const { id, polling_url: pollingUrl } = (await (await film({ poll: ['failed'] })).json()) as Video;

    const video = await ended(pollingUrl);

    expect(video).toEqual({
      id,
      generation_id: id,
      polling_url: pollingUrl,
      status: 'failed',
      usage: { cost: 0, is_byok: false },
      error: 'Provider one could not make the video.',
    });
    expect((await get(gateway, `/videos/${id}/content`)).status).toBe(404);
  });

  const picture = { type: 'image_url', frame_type: 'first_frame' };
  it.each<[string, object, object]>([
    ['duration', { duration: 7 }, { field: 'duration', allowed: [5, 10] }],
    ['duration', { duration: 10, resolution: '1080p' }, { field: 'duration', allowed: [5] }],
    ['duration', { duration: 5.5 }, { allowed: [5, 10] }],
    ['duration', { duration: 0 }, { allowed: [5, 10] }],
    ['resolution', { resolution: '' }, { allowed: ['768p', '1080p'] }],
    ['resolution', { resolution: '4K' }, { field: 'resolution', allowed: ['768p', '1080p'] }],
    ['aspect_ratio', { aspect_ratio: '1:1' }, { field: 'aspect_ratio', allowed: ['16:9', '9:16'] }],
    [
      'frame_images.0.frame_type',
      { frame_images: [{ ...picture, frame_type: 'last_frame', image_url: { url: 'data:image/png;base64,AA==' } }] },
      { allowed: ['first_frame'] },
    ],
    ['frame_images.0.image_url.url', { frame_images: [{ ...picture, image_url: { url: 'data:text/html,x' } }] }, {}],
    ['frame_images.0.image_url.url', { frame_images: [{ ...picture, image_url: { url: 'ftp://x.example/a' } }] }, {}],
    ['size', { size: '1280x720' }, { allowed: ['768p', '1080p'] }],
    ['size', { size: '768x768' }, { allowed: ['16:9', '9:16'] }],
    ['size', { size: '1x1' }, { allowed: ['768p', '1080p'] }],
    ['size', { size: 'wide' }, {}],
    ['resolution', { size: '1366x768', resolution: '1080p' }, { allowed: ['768p'] }],
    ['aspect_ratio', { size: '1366x768', aspect_ratio: '9:16' }, { allowed: ['16:9'] }],
    ['prompt', { prompt: null }, {}],
    ['prompt', { prompt: '' }, {}],
    ['provider.max_price', { provider: { max_price: { prompt: 1 } } }, {}],
    ['provider.only.0', { provider: { only: ['nobody'] } }, {}],
    ['callback_url', { callback_url: 'ftp://client.example' }, {}],
    ['callback_url', { callback_url: 'http://example.com/x' }, {}],
    ['callback_url', { callback_url: 'https://10.0.0.1/x' }, {}],
    ['callback_url', { callback_url: 'https://[fe80::1]/x' }, {}],
    ['callback_url', { callback_url: 'https://2852039166/latest' }, {}],
    ['model', { model: 'test/text' }, {}],
    ['input_references', { input_references: [] }, {}],
    ['previous_job_id', { previous_job_id: 'gen-1' }, {}],
    ['upscale_factor', { upscale_factor: 2 }, {}],
  ])('is refused by the name of %s', async (field, body, metadata) => {
    const answer = await film({}, body);

    const { error } = (await answer.json()) as { error: { metadata: object } };
    expect([answer.status, error.metadata]).toEqual([400, expect.objectContaining({ field, ...metadata })]);
  });

  it.each([
    [{ size: '1080x1920' }, { resolution: '1080p', aspect_ratio: '9:16' }],
    [
      { size: '1366x768', aspect_ratio: '16:9' },
      { resolution: '768p', aspect_ratio: '16:9' },
    ],
    [{ resolution: '1080P' }, { resolution: '1080p', aspect_ratio: '16:9' }],
    [
      { duration: null, input_references: null, previous_job_id: null, creativity: null, upscale_factor: null },
      { resolution: '768p', aspect_ratio: '16:9' },
    ],
  ])('accepts %j, as clients write it', async (body, sent) => {
    const prompt = JSON.stringify({ poll: ['failed'], id: crypto.randomUUID() });

    expect((await film({}, { ...body, prompt })).status).toBe(202);
    await until(() => prompts().includes(prompt));
    expect(provider.submitted.find((one) => one['prompt'] === prompt)).toMatchObject(sent);
  });

  it('holds its whole price in advance', async () => {
    const poor = await keyWith({ limit: 100 });
    const body = { model: 'test/film', prompt: '{"poll": ["in_progress"]}' };

    const [first, second] = [await post(poor, '/videos', body), await post(poor, '/videos', { ...body, duration: 10 })];

    expect([first.status, second.status]).toEqual([202, 402]);
    const { error } = (await second.json()) as { error: { message: string; metadata: object } };
    expect(error.metadata).toMatchObject({ limit_source: 'key_limit', required_rub: '125' });
    expect(error.message).toMatch(/^To begin, this request needs 125 RUB, and the limit of this key \(100 RUB\) has/);
  });

  it('is sent without protected values, or refused', async () => {
    const prompt = JSON.stringify({ poll: ['failed'], of: 'ann@example.com' });
    const replaced = await post(await protecting('replace'), '/videos', { model: 'test/film', prompt });
    const blocked = await post(await protecting('block'), '/videos', { model: 'test/film', prompt });

    expect([replaced.status, blocked.status]).toEqual([202, 400]);
    const { error } = (await blocked.json()) as { error: { metadata: object } };
    expect(error.metadata).toMatchObject({ field: 'prompt', category: 'email' });
    await until(() => prompts().some((text) => text.includes('[EMAIL_1]')));
    expect(prompts().some((text) => text.includes('ann@'))).toBe(false);
  });

  it('is sent to no provider that the key excludes', async () => {
    const careful = await keyWith({ privacy: { ignoredProviders: ['one'] } });

    const answer = await post(careful, '/videos', { model: 'test/film', prompt: '{}' });

    const { error } = (await answer.json()) as { error: { metadata: object } };
    expect([answer.status, error.metadata]).toEqual([
      404,
      expect.objectContaining({ excluded_by: ['ignored_providers'] }),
    ]);
  });

  it('works through the OpenRouter SDK', async () => {
    const options = { serverURL: gateway.baseUrl, retryConfig: { strategy: 'none' as const } };
    const client = new OpenRouter({ ...options, apiKey: gateway.key });

    const submitted = await client.videoGeneration.generate({
      videoGenerationRequest: { model: 'test/film', prompt: '{"file": [{"bytes": 3000}]}', duration: 5 },
    });

    await ended(submitted.pollingUrl);
    const video = await client.videoGeneration.getGeneration({ jobId: submitted.id });
    expect(video).toMatchObject({ status: 'completed', usage: { cost: 62.5 } });
    const content = await client.videoGeneration.getVideoContent({ jobId: submitted.id });
    expect(await new Response(content).bytes()).toHaveLength(3_000);
  });
});
