import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { commonGateway } from '../support/common-gateway.ts';
import { eventually } from '../support/eventually.ts';
import { finalGeneration, get, post, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { waveFile } from '../support/recordings.ts';
import { spendingBodies, spendingRoutes } from '../support/spending-bodies.ts';

let gateway: GatewayClient;
beforeAll(async () => {
  gateway = await commonGateway();
});

const message = spendingBodies['create-message']!;

/** Sends a request, and returns the tags of its record. */
async function recordedTags(
  path: string,
  body: object,
  headers: Record<string, string> = {},
  client: GatewayClient = gateway,
): Promise<Record<string, string>> {
  const response = await post(client, path, body, headers);
  const text = await response.text();
  expect([response.status < 300, text]).toEqual([true, text]);
  return tagsOfRecord(response);
}

/** Returns the tags of a record. The record of a pending request has them already. */
async function tagsOfRecord({ headers }: Response): Promise<Record<string, string>> {
  const { body: record } = await manage(gateway, 'GET', `/generations/${headers.get('x-generation-id')}`);
  return record.data.request.tags as Record<string, string>;
}

/** Creates a key, and returns its hash and a client. */
async function keyWith(settings: object): Promise<{ client: GatewayClient; hash: string }> {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'tagged', ...settings });
  return { client: { ...gateway, key: body.key as string }, hash: body.data.hash as string };
}

/** Returns the ids on all pages of a list, newest first. */
async function listedIds(query: string, client: GatewayClient = gateway): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ;) {
    const { body } = await manage(client, 'GET', `/generations?${query}${cursor}`);
    ids.push(...(body.data as { id: string }[]).map(({ id }) => id));
    if (body.next_cursor === null) return ids;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

interface Refusal {
  error: { message: string; param: string; metadata: Record<string, unknown> };
}

describe('a route that spends money', () => {
  it.each(spendingRoutes)('records the tags of a request: %s', async (name, path) => {
    const body = {
      ...spendingBodies[name],
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
    const wrong = { ...spendingBodies[name], metadata: { tags: { project: '' } } };
    const estimate = name === 'generate-image' ? '/images/estimate' : `${path}/estimate`;

    for (const to of name === 'convert-text' ? [path] : [path, estimate]) {
      const refused = await post(gateway, to, wrong);
      const { error } = (await refused.json()) as Refusal;
      expect([to, refused.status, error.param]).toEqual([to, 400, 'metadata.tags.project']);
    }
    if (name === 'convert-text') return;
    const accepted = await post(gateway, estimate, { ...spendingBodies[name], metadata: { tags: 'project=lake' } });
    expect([accepted.status, await accepted.text()]).toEqual([200, expect.stringContaining('"admits":true')]);
  });
});

describe('the record of a request', () => {
  it('has all pairs of a list, also if an element has several', async () => {
    const metadata = { tags: ['project=lake,team=core', 'note=a%2Cb'] };
    const response = await post(gateway, '/messages', { ...message, metadata });

    const record = await finalGeneration(gateway, response.headers.get('x-generation-id')!);
    expect(record['tags']).toEqual({ project: 'lake', team: 'core', note: 'a,b' });
  });

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
    const { client } = await keyWith({ tags });
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

describe('a form', () => {
  it.each<[string, string]>([
    ['metadata[tags]', 'project=lake'],
    ['metadata[tags][project]', 'lake'],
    ['metadata[tags][]', 'project=lake'],
  ])('has tags in %s', async (name, value) => {
    const form = new FormData();
    form.set('model', 'sandbox/scribe');
    form.set('file', new Blob([waveFile(1)]), 'a.wav');
    form.set(name, value);
    const { baseUrl, key } = gateway;

    const response = await fetch(`${baseUrl}/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });

    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('text')]);
    expect(await tagsOfRecord(response)).toEqual({ project: 'lake' });
  });
});

describe('a count of tokens', () => {
  it.each([
    ['/messages/count_tokens', { ...message, max_tokens: undefined }],
    ['/responses/input_tokens', { model: 'sandbox/gpt', input: 'Hi' }],
  ])('ignores tags: %s', async (path, body) => {
    const counted = await post(gateway, path, { ...body, metadata: { tags: 7 } }, { 'x-gateway-tags': '?' });

    expect([counted.status, await counted.text()]).toEqual([200, expect.stringContaining('input_tokens')]);
  });
});

describe('an Idempotency-Key', () => {
  it.each([
    ['the header', {}, { 'x-gateway-tags': 'project=core' }],
    ['the body', { metadata: { tags: 'project=core' } }, {}],
  ])('is refused for the same request with other tags in %s', async (_, more, headers) => {
    const key = { 'idempotency-key': randomUUID() };
    await (await post(gateway, '/messages', message, key)).text();

    const response = await post(gateway, '/messages', { ...message, ...more }, { ...key, ...headers });

    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('another request')]);
  });

  it('returns the video of the first request only for the same tags', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const video = spendingBodies['create-video']!;
    const ask = async (tags: string) => {
      const { status, headers } = await post(gateway, '/videos', video, { ...key, 'x-gateway-tags': tags });
      return [status, headers.get('idempotent-replayed')];
    };

    expect([await ask('a=b'), await ask('a=b'), await ask('a=c')]).toEqual([
      [202, null],
      [202, 'true'],
      [409, null],
    ]);
  });
});

describe('required_tags', () => {
  const required = { project: ['lake', 'core'], team: null };

  it('refuse requests and estimates without them, and are found in the list of refused requests', async () => {
    const { client, hash } = await keyWith({ required_tags: required });
    const lacking = { 'x-gateway-tags': 'project=maps,team=a' };

    const refusals = await Promise.all(
      ['/messages', '/messages/estimate'].map((path) => post(client, path, message, lacking)),
    );
    for (const refusal of refusals) {
      const { error } = (await refusal.json()) as Refusal;
      expect(refusal.status).toBe(403);
      expect(error.metadata).toMatchObject({
        error_type: 'permission_denied',
        limit_source: 'required_tags',
        tag: 'project',
        allowed_values: ['lake', 'core'],
      });
    }
    const accepted = await post(client, '/messages', message, { 'x-gateway-tags': 'project=lake,team=a' });
    expect(accepted.status).toBe(200);
    await eventually(async () => {
      const { body } = await manage(gateway, 'GET', `/generations?status=refused&api_key_hash=${hash}`);
      expect(body.data[0]?.refusal).toMatchObject({ limit_source: 'required_tags', field: 'metadata.tags.project' });
    });
  });

  it('of the workspace and the member apply as well, and null removes them', async () => {
    const { body: team } = await manage(gateway, 'POST', '/workspaces', {
      name: 'Tagged',
      slug: 'tagged',
      required_tags: { project: null },
    });
    const members = `/workspaces/${team.data.id}/members`;
    await manage(gateway, 'POST', `${members}/add`, { user_ids: ['ann'] });
    await manage(gateway, 'PATCH', `${members}/ann`, { required_tags: { team: ['a'] } });
    const { client } = await keyWith({ workspace_id: 'tagged', member_id: 'ann' });
    const ask = async (tags: string) => {
      const text = await (await post(client, '/messages', message, { 'x-gateway-tags': tags })).text();
      return /(The (workspace|member) of this key|This key) requires/.exec(text)?.[1];
    };

    expect([await ask(''), await ask('project=x'), await ask('project=x,team=a')]).toEqual([
      'The workspace of this key',
      'The member of this key',
      undefined,
    ]);
    const { body: cleared } = await manage(gateway, 'PATCH', `${members}/ann`, { required_tags: null });
    expect([team.data.required_tags, cleared.data.required_tags]).toEqual([{ project: null }, null]);
  });

  it.each([
    [{}],
    [{ Project: null }],
    [{ project: [] }],
    [{ project: [''] }],
    [{ project: 'lake' }],
    [{ project: Array.from({ length: 51 }, (_, index) => `v${index}`) }],
    [Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`t${index}`, null]))],
    [{ project: Array.from({ length: 50 }, () => 'Ж'.repeat(100)) }],
    [['project']],
  ])('are refused if they are not valid: $0', async (wrong) => {
    const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'k', required_tags: wrong });

    expect([status, body.error.param]).toEqual([400, expect.stringMatching(/^required_tags/)]);
  });

  it('are shown in the settings of a key', async () => {
    const { body: created } = await manage(gateway, 'POST', '/keys', { name: 'k', required_tags: required });
    const { body: shown } = await manage(gateway, 'GET', `/keys/${created.data.hash}`);

    expect(shown.data.required_tags).toEqual(required);
  });
});

describe('a list of requests with tag', () => {
  it('has only requests with all of these tags, on all pages', async () => {
    const sent = ['project=lake,team=a', 'project=lake,team=b', 'project=core,team=a', 'project=lake%2Cdeep,team=a'];
    const { client, hash } = await keyWith({});
    const ids: string[] = [];
    for (const tags of [...sent, ...sent]) {
      const { headers } = await post(client, '/messages', message, { 'x-gateway-tags': tags });
      ids.push(headers.get('x-generation-id')!);
    }
    const [lakeA, lakeB, coreA, deepA] = ids.slice(0, 4).map((first, index) => [ids[index + 4]!, first]);
    const byTime = (...some: string[][]) => ids.filter((id) => some.flat().includes(id)).toReversed();
    const listed = (query: string) => listedIds(`api_key_hash=${hash}&limit=1&${query}`);

    expect(await listed('tag=project:lake')).toEqual(byTime(lakeA!, lakeB!));
    expect(await listed('tag=project:lake&tag=team:a')).toEqual(byTime(lakeA!));
    expect(await listed('tag=team:a')).toEqual(byTime(lakeA!, coreA!, deepA!));
    expect(await listed('tag=project:lake%2Cdeep')).toEqual(byTime(deepA!));
    expect(await listed('tag=project:maps')).toEqual([]);
    expect(await listed('tag=constructor:x')).toEqual([]);
  });

  it('has no requests of another account', async () => {
    const other = await commonGateway();
    await (await post(other, '/messages', message, { 'x-gateway-tags': 'secret=lake' })).text();

    expect(await listedIds('tag=secret:lake')).toEqual([]);
    expect(await listedIds('tag=secret:lake', other)).toHaveLength(1);
  });

  it.each(['tag=', 'tag=project', 'tag=Project:x', 'tag=project:', Array(9).fill('tag=a:b').join('&')])(
    'refuses %j',
    async (query) => {
      const { status, body } = await manage(gateway, 'GET', `/generations?${query}`);
      expect([status, body.error.param]).toEqual([400, 'tag']);
    },
  );
});
