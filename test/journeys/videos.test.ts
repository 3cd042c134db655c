import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogDirectory, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, get, post, startGateway, type RunningGateway } from '../support/gateway.ts';
import {
  filmCatalog,
  startVideoProvider,
  videoBytes,
  type VideoProvider,
  type VideoScript,
} from '../support/video-provider.ts';

let provider: VideoProvider;
let catalog: CatalogDirectory;
let gateway: RunningGateway;
beforeAll(async () => {
  provider = await startVideoProvider();
  const { models, providers } = filmCatalog(provider.url, ['one']);
  catalog = catalogDirectory(models, providers);
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

const film = (script: VideoScript, more: object = {}) =>
  post(gateway, '/videos', { model: 'test/film', prompt: JSON.stringify(script), ...more });

const logged = () =>
  gateway
    .log()
    .split('\n')
    .filter((line) => !line.includes('"route":"get-video"'))
    .join('\n') + provider.requests.join('\n');

async function ended(pollingUrl: string): Promise<Video> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    if (performance.now() > deadline) throw new Error(`No end of a video: ${logged()}`);
    const answer = await fetch(pollingUrl, { headers: { authorization: `Bearer ${gateway.key}` } });
    const video = (await answer.json()) as Video;
    if (video.usage) return video;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a video', () => {
  it('is made, paid once, and can be read in ranges', async () => {
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
    const part = await fetch(content.url, { headers: { range: 'bytes=0-4' } });
    expect([part.status, await part.text()]).toEqual([206, 'frame']);
    expect(await finalGeneration(gateway, video.id)).toMatchObject({
      api_type: 'video',
      total_cost: 125,
      provider_name: 'Provider one',
      finish_reason: 'completed',
    });
  });
});
