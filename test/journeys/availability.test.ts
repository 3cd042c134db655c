/** Models that a gateway shows as available can be called, and the lists of their routes contain them. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Modality } from '../../lambdas/catalog/modality.ts';
import { routes } from '../../lambdas/routes.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { get, post, said, type GatewayClient } from '../support/gateway.ts';

interface ShownModel {
  id: string;
  available: boolean | null;
  unavailable_reason?: string;
  architecture: { output_modalities: Modality[] };
}

let gateway: GatewayClient;
let models: ShownModel[];
beforeAll(async () => {
  gateway = await commonGateway();
  models = await listOf('/models?output_modalities=all');
});

async function listOf(path: string): Promise<ShownModel[]> {
  const response = await get(gateway, path);
  return ((await response.json()) as { data: ShownModel[] }).data;
}

const idsOf = async (path: string) => (await listOf(path)).map(({ id }) => id);

function silence(): string {
  const samples = Buffer.alloc(16_000);
  const header = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  );
  header.writeUInt32LE(samples.length + 36, 4);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]).toString('base64');
}

/** A small request for each kind of output, and its path. */
const requests: Partial<Record<Modality, [path: string, body: object]>> = {
  text: ['/messages', { max_tokens: 10, messages: [said('Hi')] }],
  video: ['/videos', { prompt: 'A fox' }],
  embeddings: ['/embeddings', { input: 'Hi' }],
  rerank: ['/rerank', { query: 'Hi', documents: ['a', 'b'] }],
  decisions: ['/decisions', { state: 'Hi', questions: { late: { type: 'noul', instructions: 'Is it late?' } } }],
  transcription: ['/audio/transcriptions', { input_audio: { data: silence(), format: 'wav' } }],
  image: ['/images', { prompt: 'A fox' }],
  speech: ['/audio/speech', { input: 'Hi', voice: 'alloy' }],
};

function mediaChat(id: string, makes: readonly Modality[]): [path: string, body: object] {
  const isMusic = /lyria|composer/.test(id);
  const audio = makes.includes('audio') && !isMusic ? { audio: { voice: 'alloy', format: 'wav' } } : {};
  return ['/chat/completions', { messages: [{ role: 'user', content: 'Hi' }], modalities: makes, ...audio }];
}

/** Returns the statuses of estimates. An estimate finds the same endpoints as a request, and costs nothing. */
async function statusesOf({ id, architecture: { output_modalities: makes } }: ShownModel): Promise<number[]> {
  const isMediaChat = makes.includes('text') && makes.length > 1;
  const wanted = isMediaChat
    ? [mediaChat(id, makes)]
    : makes.flatMap((modality) => (requests[modality] ? [requests[modality]] : []));
  return Promise.all(
    wanted.map(async ([path, body]) => (await post(gateway, `${path}/estimate`, { model: id, ...body })).status),
  );
}

describe('a model that a gateway shows as available', () => {
  it('can be called by a route', async () => {
    const available = models.filter((model) => model.available === true);
    const called = await Promise.all(available.map(async (model) => [model.id, await statusesOf(model)] as const));
    expect(called.length).toBeGreaterThan(10);
    expect(called.filter(([, statuses]) => statuses.length === 0 || statuses.some((status) => status !== 200))).toEqual(
      [],
    );
  });

  it('is in the list of each kind of output that it has', async () => {
    const outputs = [...new Set(models.flatMap(({ architecture }) => architecture.output_modalities))];
    for (const output of outputs) {
      const listed = await idsOf(`/models?output_modalities=${output}`);
      const made = models.filter(({ architecture }) => architecture.output_modalities.includes(output));
      expect(listed).toEqual(made.map(({ id }) => id));
    }
  });

  it('is in the list of its route, if the route has one, which shows of each model if it is available', async () => {
    const paths = Object.values(routes)
      .flatMap((route) => route.paths)
      .filter((path) => path.endsWith('/models') && !['/models', '/activity/models'].includes(path));
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const listed = new Map((await listOf(path)).map(({ id, available }) => [id, available]));
      const [output] = Object.entries(requests).find(([, [own]]) => path === `${own}/models`)!;
      const made = models.filter(({ architecture: { output_modalities: makes } }) => makes.join() === output);
      expect([path, made.filter(({ id, available }) => listed.get(id) !== available)]).toEqual([path, []]);
      expect(made.length).toBeGreaterThan(0);
    }
  });
});

describe('a model that no route calls', () => {
  it('is shown as not available, with the reason, and is refused', async () => {
    const uncalled = models.filter(({ unavailable_reason: reason }) => reason?.startsWith('No route'));
    expect(uncalled.length).toBeGreaterThan(0);
    expect(uncalled.filter(({ available }) => available !== false)).toEqual([]);
    const called = await Promise.all(uncalled.map(async (model) => [model.id, await statusesOf(model)] as const));
    expect(called.filter(([, statuses]) => statuses.includes(200))).toEqual([]);
  });
});
