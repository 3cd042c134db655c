/** Tags by which an account reports spending, over HTTP and at the command line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-tags-'));
  gateway = await startGateway({ args: ['--data', directory] });
  // The key gets tags afterwards, which apply to its earlier requests without a value of their own.
  for (const tags of ['project=lake,team=core', 'project=lake', '']) {
    const body = { model: 'sandbox/claude', max_tokens: 5, messages: [said('Hi', 'delay=0')] };
    const answer = await post(gateway, '/messages', body, tags === '' ? {} : { 'x-gateway-tags': tags });
    await finalGeneration(gateway, ((await answer.json()) as { id: string }).id);
  }
  const [key] = (await manage(gateway, 'GET', '/keys')).body.data as { hash: string }[];
  await manage(gateway, 'PATCH', `/keys/${key!.hash}`, { tags: { project: 'sea', team: 'deep' } });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const put = (reported: unknown, headers?: Record<string, string>) =>
  manage(gateway, 'PUT', '/tags', { reported }, headers);
const run = async (...args: string[]) => {
  const { out, err, code } = await adminHere(directory, '--json', ...args);
  return code === 0 ? (JSON.parse(out) as unknown) : err;
};

describe('reported tags', () => {
  it('are none at first, and have a version', async () => {
    const before = await manage(gateway, 'GET', '/tags');
    const first = await put(['team'], { 'if-match': before.headers.get('etag')! });
    const second = await put(['project', 'team'], { 'if-match': before.headers.get('etag')! });
    const { body } = await put(['project', 'team']);

    expect(before.body.data).toEqual({ reported: [] });
    expect([first.status, second.status]).toEqual([200, 412]);
    expect(body).toEqual((await manage(gateway, 'GET', '/tags')).body);
    expect(body.data).toEqual({ reported: ['project', 'team'] });
  });

  it('are in the audit log', async () => {
    const entries = (await run('audit')) as { action: string }[];
    expect(entries.some(({ action }) => action === 'account.reported_tags')).toBe(true);
  });

  it.each([[['Project']], [['a', 'a']], [['a', 'b', 'c', 'd', 'e']], [[7]], ['project']])(
    'are refused if they are %j',
    async (reported) => {
      const { status, body } = await put(reported);
      expect([status, body.error.metadata.field]).toEqual([400, expect.stringMatching(/^reported/) as string]);
    },
  );

  it('are shown and set at the command line', async () => {
    expect(await run('tags', 'set', '--reported', 'project,team')).toEqual({ reported: 'project,team' });
    expect(await run('tags', 'show')).toEqual({ reported: 'project,team' });
    expect(await run('tags', 'set', '--reported', 'a b')).toMatch(/Each name must be 1 to 40 lower-case letters/);
  });
});

describe('spending by tag', () => {
  it.each(['/activity', '/statements/2026-10'])('is refused by %s for a tag that is not reported', async (path) => {
    const { status, body } = await manage(gateway, 'GET', `${path}?group_by=tag:trace,key`);
    expect([status, body.error.metadata.field]).toEqual([400, 'group_by']);
    expect(body.error.message).toMatch(/cannot split by the tag trace: the account reports only project, team/);
  });

  it('of today is at the command line, with the current tags of keys for requests without a value', async () => {
    expect(await run('activity', '--by', 'tag:team')).toMatchObject([
      { 'tag:team': 'deep', requests: 2 },
      { 'tag:team': 'core', requests: 1 },
    ]);
    expect(await run('activity', '--by', 'tag:trace')).toMatch(/cannot split by the tag trace/);
  });

  it('is in statements, by several tags', async () => {
    const { rows } = (await run('statement', '--by', 'tag:project,tag:team')) as { rows: Record<string, unknown>[] };
    const shown = rows.map((row) => [row['tag:project'], row['tag:team'], row['requests']]);
    expect(shown).toEqual([
      ['lake', 'core', 1],
      ['lake', 'deep', 1],
      ['sea', 'deep', 1],
    ]);
  });

  it.each([
    [['project=lake'], 2],
    [['project=lake', 'team=deep'], 1],
    [['project='], 0],
  ])('is in a statement of %j', async (tags, requests) => {
    const given = tags.flatMap((tag) => ['--tag', tag]);
    expect(await run('statement', ...given)).toMatchObject({ total: { requests } });
  });
});
