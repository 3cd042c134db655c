/** Key tags: labels of a key, by which the owner can split statements. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';

let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-tags-'));
  gateway = await startGateway({ args: ['--data', directory] });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const run = (...args: string[]) => adminHere(directory, ...args);

const newKey = async (fields: object) => {
  const { body } = await manage(gateway, 'POST', '/keys', { name: 'tagged', ...fields });
  return body as { key: string; data: { hash: string; tags: object } };
};
const change = (hash: string, fields: object) => manage(gateway, 'PATCH', `/keys/${hash}`, fields);

describe('a key with tags', () => {
  it('has the tags of its creation until they are replaced', async () => {
    const { data } = await newKey({ tags: { project: 'search', cost_centre: ' 4711 ' } });
    const renamed = await change(data.hash, { name: 'other' });
    const replaced = await change(data.hash, { tags: { team: 'maps' } });
    const cleared = await change(data.hash, { tags: null });

    expect(data.tags).toEqual({ project: 'search', cost_centre: '4711' });
    expect(renamed.body.data.tags).toEqual(data.tags);
    expect(replaced.body.data.tags).toEqual({ team: 'maps' });
    expect(cleared.body.data.tags).toEqual({});
  });

  it.each([
    [{ Project: 'x' }, /tags\..*1 to 40 lower-case letters/],
    [{ 'tag:x': 'x' }, /tags\..*1 to 40 lower-case letters/],
    [{ project: '' }, /tags\.project.*1 to 100 characters/],
    [{ project: 'a\nb' }, /tags\.project.*on one line/],
    [{ project: 7 }, /tags\.project/],
    [Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`t${index}`, 'x'])), /tags.*at most 10/],
    [['project'], /tags/],
  ])('is refused at its creation with %j', async (tags, words) => {
    const { status, body } = await manage(gateway, 'POST', '/keys', { name: 'refused', tags });

    expect([status, body.error.message]).toEqual([400, expect.stringMatching(words)]);
  });

  it('gets tags at the command line, one by one, and keeps them when it is rotated', async () => {
    await run('keys', 'create', '--name', 'batch', '--tag', 'project=search', '--tag', 'team=maps');
    await run('keys', 'set', '--key', 'batch', '--tag', 'team=', '--tag', 'env=live=now');
    await run('keys', 'rotate', '--key', 'batch');

    const { out } = await run('--json', 'keys', 'list');
    const rows = JSON.parse(out) as { name: string; tags: object }[];
    expect(rows.find(({ name }) => name === 'batch')?.tags).toEqual({ project: 'search', env: 'live=now' });
    expect((await run('keys', 'list')).out).toMatch(/batch .*(env|project)=/);
  });

  it.each([
    ['project', /Use a name and a value, for example project=search/],
    ['=search', /Use a name and a value/],
    ['Project=search', /The name must be 1 to 40/],
  ])('is refused at the command line with %s', async (tag, words) => {
    const { err, code } = await run('keys', 'create', '--name', 'refused', '--tag', tag);

    expect([code, err]).toEqual([1, expect.stringMatching(words)]);
  });
});

/** Sends a request with a key, and returns its cost. */
const spend = async (key: string, maxTokens: number) => {
  const body = { model: 'sandbox/claude', max_tokens: maxTokens, messages: [said('Hi', 'delay=0')] };
  const { id } = (await (await post(gateway, '/messages', body, { 'x-api-key': key })).json()) as {
    id: string;
  };
  const { total_cost: cost } = await finalGeneration(gateway, id);
  return Money.parse(String(cost));
};

describe('a statement with tags', () => {
  interface Row {
    'tag:project': string;
    requests: number;
    usage_rub: string;
  }
  let spent: { search: Money; maps: Money; none: Money };
  let deleted: string;
  beforeAll(async () => {
    const [one, two, maps, none] = [
      await newKey({ tags: { project: 'search', team: 'a' } }),
      await newKey({ tags: { project: 'search' } }),
      await newKey({ tags: { project: 'maps' } }),
      await newKey({}),
    ];
    const search = (await spend(one.key, 5)).plus(await spend(two.key, 7));
    spent = { search, maps: await spend(maps.key, 9), none: await spend(none.key, 11) };
    deleted = two.data.hash;
    await manage(gateway, 'DELETE', `/keys/${deleted}`);
  });

  it('adds up the keys of a tag, including deleted ones, and has keys without it in one row', async () => {
    const { out } = await run('--json', 'statement', '--by', 'tag:project');
    const { rows, proven } = JSON.parse(out) as { rows: Row[]; proven: boolean };

    expect(rows.map((row) => [row['tag:project'], row.requests, row.usage_rub])).toEqual([
      ['', 1, spent.none.toString()],
      ['maps', 1, spent.maps.toString()],
      ['search', 2, spent.search.toString()],
    ]);
    expect(proven).toBe(true);
  });

  it('may be split by several tags, and by other fields', async () => {
    const { out } = await run('statement', '--by', 'model,tag:project,tag:team', '--format', 'csv');

    expect(out).toMatch(/^line,model,tag:project,tag:team,requests/);
    expect(out).toContain('spending,sandbox/claude,search,a,1,');
    expect(out).toContain('spending,sandbox/claude,search,,1,');
  });

  it('uses the current tags of keys', async () => {
    const { data } = await newKey({ tags: { quarter: 'first' } });
    await change(data.hash, { tags: { quarter: 'second' } });
    const { out } = await run('--json', 'statement', '--by', 'tag:quarter');

    expect((JSON.parse(out) as { rows: object[] }).rows).toHaveLength(1);
  });

  it("has the tags in the FOCUS rows, separate from the gateway's own", async () => {
    await run('statement', '--files', join(directory, 'files'));
    const focus = readFileSync(join(directory, 'files', 'focus.csv'), 'utf8');

    expect(focus).toContain('""project"":""search"",""team"":""a"",""gateway/key"":""tagged""');
  });

  it('may be filtered by a tag, and names the filter in each file', async () => {
    const files = join(directory, 'search');
    const { out } = await run('--json', 'statement', '--tag', 'project=search', '--tag', 'team=a');
    const { only, total, payments } = JSON.parse(out) as { only: string[]; total: { requests: number }; payments: [] };
    const written = JSON.parse((await run('--json', 'statement', '--tag', 'project=search', '--files', files)).out) as {
      files: { name: string }[];
    };
    const inFiles = (name: string) => readFileSync(join(files, name), 'utf8');

    expect([only, total.requests, payments]).toEqual([['tag project=search', 'tag team=a'], 1, []]);
    expect(written.files.map(({ name }) => name)).not.toContain('ledger.csv');
    expect(inFiles('statement.html')).toContain('Only for <strong>tag project=search</strong>');
    expect(inFiles('statement.csv')).toContain('proven: 2 records (only tag project=search) from ');
  });

  it('without any key has nothing to prove', async () => {
    const { out } = await run('statement', '--member', 'nobody', '--model', 'sandbox/gtp');

    expect(out).toMatch(/nothing to prove: there are no records \(only member nobody and model sandbox\/gtp\) from/);
  });

  it('names a tag that no key has', async () => {
    expect((await run('statement', '--by', 'tag:projct')).err).toContain('has the tag "projct"');
  });

  it('refuses an invalid tag name', async () => {
    expect((await run('statement', '--by', 'tag:')).err).toMatch(
      /"tag:" is unknown. Use a comma-separated list of .*tag:<name>/,
    );
    expect((await run('margin', '--by', 'tag:project')).err).toMatch(/"tag:project" is unknown/);
  });
});
