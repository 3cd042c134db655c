import { beforeAll, describe, expect, it } from 'vitest';
import { routes, type RouteName } from '../../lambdas/routes.ts';
import { shortRecording } from '../support/client-api-bodies.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, get, post, said, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const messages = [said('Hi', 'delay=0')];
const question = { type: 'noul', instructions: 'Is the writer angry?' };
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const drawing = { model: 'sandbox/painter', prompt: 'Snow' };
const recording = { model: 'sandbox/scribe', input_audio: { data: shortRecording } };

/** Body of each route that spends money. */
const bodies: Partial<Record<RouteName, object>> = {
  'create-message': { model: 'sandbox/claude', max_tokens: 5, messages },
  'create-chat-completion': { model: 'sandbox/gpt', max_tokens: 5, messages },
  'create-response': { model: 'sandbox/gpt', max_output_tokens: 5, input: 'Hi @sandbox delay=0' },
  'create-embeddings': { model: 'sandbox/embedder', input: 'Hi' },
  'create-rerank': { model: 'sandbox/ranker', query: 'Hi', documents: ['Hi'] },
  'create-image': drawing,
  'generate-image': drawing,
  'edit-image': { ...drawing, images: [{ image_url: pixel }] },
  'create-speech': { model: 'sandbox/speaker', input: 'Hi', voice: 'ember' },
  'create-transcription': recording,
  'create-translation': recording,
  'create-decision': { model: 'sandbox/judge', state: 'Hi', questions: { angry: question } },
  'create-video': { model: 'sandbox/filmmaker', prompt: 'Snow' },
};

const spendingRoutes = Object.entries(routes)
  .filter(([, route]) => 'inference' in route)
  .map(([name, { paths }]) => [name as RouteName, paths[0]] as const);
const message = bodies['create-message']!;

/** Sends a request that is answered. @returns the tags of its record */
async function recordedTags(
  path: string,
  body: object,
  headers: Record<string, string> = {},
  client: GatewayClient = gateway,
): Promise<Record<string, string>> {
  const response = await post(client, path, body, headers);
  const text = await response.text();
  expect([response.status < 300, text]).toEqual([true, text]);
  // The record of a pending request has the tags already. A video takes long to become final.
  const { body: record } = await manage(client, 'GET', `/generations/${response.headers.get('x-generation-id')}`);
  return record.data.request.tags as Record<string, string>;
}

interface Refusal {
  error: { message: string; param: string; metadata: Record<string, unknown> };
}

describe('a route that spends money', () => {
  it.each(spendingRoutes)('records the tags of a request: %s', async (name, path) => {
    const body = {
      ...bodies[name],
      ...(name === 'create-message' ? {} : { user: 'ann' }),
      session_id: 's-1',
      trace: { trace_id: 't-1' },
      metadata: { ...(name === 'create-message' ? { user_id: 'ann' } : {}), tags: { project: 'lake', team: 'core' } },
    };

    expect(await recordedTags(path, body, { 'x-gateway-tags': 'team=maps' })).toEqual({
      user: 'ann',
      session: 's-1',
      trace: 't-1',
      project: 'lake',
      team: 'maps',
    });
  });

  it.each(spendingRoutes)('and its estimate refuse an invalid tag: %s', async (name, path) => {
    const wrong = { ...bodies[name], metadata: { tags: { project: '' } } };
    const estimate = routes[name].paths[0] === '/images/generations' ? '/images/estimate' : `${path}/estimate`;

    for (const to of [path, estimate]) {
      const refused = await post(gateway, to, wrong);
      const { error } = (await refused.json()) as Refusal;
      expect([to, refused.status, error.param]).toEqual([to, 400, 'metadata.tags.project']);
    }
    const accepted = await post(gateway, estimate, { ...bodies[name], metadata: { tags: 'project=lake' } });
    expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining('"admits":true')]);
  });
});

describe('the record of a request', () => {
  it('has the tags, and the end user under the name of OpenRouter', async () => {
    const response = await post(gateway, '/messages', {
      ...message,
      metadata: { user_id: 'ann', tags: 'project=lake' },
    });
    const id = response.headers.get('x-generation-id')!;

    const record = await finalGeneration(gateway, id);

    expect(record).toMatchObject({ tags: { user: 'ann', project: 'lake' }, external_user: 'ann' });
    const listed = (await (await get(gateway, '/generations?limit=1', gateway.managementKey)).json()) as {
      data: object[];
    };
    expect(listed.data[0]).toMatchObject({ id, tags: { user: 'ann', project: 'lake' } });
  });
});

describe('tags of several sources', () => {
  it('count in the order key, mapped fields, metadata.tags, header', async () => {
    const tags = { a: 'key', b: 'key', c: 'key', user: 'key', session: 'key' };
    const { body } = await manage(gateway, 'POST', '/keys', { name: 'tagged', tags });
    const client = { ...gateway, key: body.key as string };
    const sent = {
      ...message,
      session_id: 'field',
      metadata: { user_id: 'field', tags: { b: 'body', c: 'body', user: 'body' } },
    };

    expect(await recordedTags('/messages', sent, { 'x-gateway-tags': 'c=header' }, client)).toEqual({
      a: 'key',
      b: 'body',
      c: 'header',
      user: 'body',
      session: 'field',
    });
  });
});
