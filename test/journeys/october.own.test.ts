/** Ways to find the cost of the last month: by HTTP, at the command line, and in SQL. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { leafOf, rootByPath } from '../../lambdas/books/seals/merkle.ts';
import { Money } from '../../lambdas/money/money.ts';
import { adminHere } from '../support/admin.ts';
import { finalGeneration, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { documentedOperations, documentedResponse, misfit } from '../support/openapi.ts';

let directory: string;
let gateway: RunningGateway;
let total: Money;
let ids: string[];

/** The seal that GET /generation returns. */
interface Seal {
  root: string;
  leaf_count: number;
  lines: { line: string; leaf: string; index: number; path: string[] }[];
}

const REQUESTS = 7;
const october = { from: '2026-10-01', to: '2026-10-22' };

/** Creates the records, and returns the gateway with its keys, because later starts print no keys. */
async function makeOctober(): Promise<RunningGateway> {
  const early = await startGateway({ args: ['--data', directory, '--now', '2026-10-15T12:00:00Z'] });
  await manage(early, 'POST', '/workspaces/default/members/add', { user_ids: ['ann'] });
  const key = (name: string, more: object = {}) => manage(early, 'POST', '/keys', { name, ...more });
  const server = (await key('server', { member_id: 'ann' })).body as { key: string; data: { hash: string } };
  await manage(early, 'PUT', '/tags', { reported: ['project'] });
  ids = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    const client = { ...early, key: index % 2 === 0 ? server.key : early.key };
    const model = index % 3 === 0 ? 'sandbox/gpt' : 'sandbox/claude';
    const answer = await post(client, '/messages', {
      model,
      max_tokens: 20 + index,
      messages: [said('Hi', 'delay=0')],
      ...(index % 2 === 0 ? { metadata: { tags: { project: 'озеро' } } } : {}),
    });
    const { id } = (await answer.json()) as { id: string };
    ids.push(id);
    const { total_cost: cost } = await finalGeneration(client, id);
    total = total.plus(Money.parseNumber(String(cost)));
  }
  await post(early, '/messages', { model: 'sandbox/nobody', max_tokens: 20, messages: [said('Hi', '')] });
  // The history of a deleted key stays, with its name.
  await manage(early, 'DELETE', `/keys/${server.data.hash}`);
  await early.stop();
  return early;
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'gateway-october-'));
  total = Money.zero;
  const { key, managementKey } = await makeOctober();
  // Schedules run just after full minutes.
  const later = await startGateway({ args: ['--data', directory, '--now', '2026-11-22T12:00:50Z'] });
  gateway = { ...later, key, managementKey };
  await vi.waitUntil(
    async () => {
      const { closed, sealed_days: sealed } = (await manage(gateway, 'GET', '/statements/2026-10')).body.data;
      return closed && sealed.length === 1;
    },
    { timeout: 90_000, interval: 200 },
  );
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
});

const read = async (path: string) => (await manage(gateway, 'GET', path)).body;
const spent = () => Number(total.toString());

function expectDocumented(name: string, answer: unknown): void {
  const { operation } = documentedOperations.find((documented) => documented.name === name)!;
  const { schema } = documentedResponse(operation, 200)!.content!['application/json']!;
  expect(misfit(schema, answer)).toBeUndefined();
}

describe('October, queried in November over HTTP,', () => {
  it('is in the statement of the month, with the names of deleted keys', async () => {
    const answer = await read('/statements/2026-10?group_by=key,member');

    expectDocumented('GET /statements/{month}', answer);
    expect(answer.data).toMatchObject({ closed: true, from: '2026-10-01', to: '2026-10-31', proven: true });
    expect(answer.data.total).toMatchObject({ requests: REQUESTS, usage: spent() });
    const names = (answer.data.rows as { api_key_name: string; user_id: string | null }[]).map(
      ({ api_key_name, user_id }) => `${api_key_name} of ${user_id}`,
    );
    expect(new Set(names)).toEqual(new Set(['server of ann', 'First key of null']));
  });

  it('is in the activity of any days', async () => {
    const answer = await read(`/activity?from=${october.from}&to=${october.to}&group_by=key,member`);

    expectDocumented('GET /activity', answer);
    const rows = answer.data as { usage: number; requests: number; api_key_hash: string; user_id: string | null }[];
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(REQUESTS);
    expect(Money.sum(rows.map(({ usage }) => Money.parseNumber(String(usage)))).toString()).toBe(total.toString());
    expect(new Set(rows.map(({ user_id }) => user_id))).toEqual(new Set(['ann', null]));
  });

  it.each(['/statements/2026-10?', `/activity?from=${october.from}&to=${october.to}&`])(
    'has rows by tag in %s',
    async (path) => {
      const { data } = await read(`${path}group_by=tag:project`);
      const rows = (Array.isArray(data) ? data : data.rows) as { tags: object; requests: number; usage: number }[];
      expect(rows.map(({ tags, requests }) => [tags, requests])).toEqual(
        expect.arrayContaining([
          [{ project: '' }, 2],
          [{ project: 'озеро' }, 2],
        ]),
      );
      expect(Money.sum(rows.map(({ usage }) => Money.parseNumber(String(usage)))).toString()).toBe(total.toString());
    },
  );

  it.each([
    ['from=2026-10-05&to=2026-10-01', 'from'],
    ['to=2026-11-22', 'to'],
    ['from=2026-01-01&to=2026-10-01', 'from'],
    ['date=2026-11-20&to=2026-11-21', 'date'],
    ['from=yesterday', 'from'],
    ['group_by=model', 'group_by'],
    ['group_by=tag:team', 'group_by'],
  ])('refuses the activity of %s', async (query, field) => {
    const { status, body } = await manage(gateway, 'GET', `/activity?${query}`);
    expect([status, body.error.metadata.field]).toEqual([400, field]);
  });

  it('has each request once in the list, page after page', async () => {
    const seen: { id: string; status: string }[] = [];
    let cursor: string | null = null;
    do {
      const from = cursor === null ? '' : `&cursor=${cursor}`;
      const answer = await read(`/generations?from=2026-10-01&to=2026-11-22&limit=3${from}`);
      expectDocumented('GET /generations', answer);
      seen.push(...(answer.data as typeof seen));
      cursor = answer.next_cursor as string | null;
    } while (cursor !== null);

    const answered = seen.filter(({ status }) => status !== 'refused').map(({ id }) => id);
    expect(answered).toEqual(ids.toReversed());
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
  });

  it('continues at the day of the cursor, also if it is over by now', async () => {
    const answer = await read(`/generations?cursor=${ids[3]}`);
    expect((answer.data as { id: string }[]).map(({ id }) => id)).toEqual(ids.slice(0, 3).toReversed());
  });

  it.each([
    ['user_id=ann', 4],
    ['model=sandbox/gpt', 3],
    ['user_id=ann&model=sandbox/gpt', 2],
    ['status=pending', 0],
  ])('has a list of requests with the filter %s', async (filter, count) => {
    const answer = await read(`/generations?from=2026-10-15&to=2026-10-15&${filter}`);
    expect(answer.data).toHaveLength(count);
  });

  it.each([
    ['from=2026-10-05&to=2026-10-01', 'from'],
    ['cursor=2', 'cursor'],
    ['limit=0', 'limit'],
    ['status=done', 'status'],
  ])('has no list of requests with %s', async (query, field) => {
    const { status, body } = await manage(gateway, 'GET', `/generations?${query}`);
    expect([status, body.error.metadata.field]).toEqual([400, field]);
  });

  it('is sealed, each day in a signed statement', async () => {
    const { data } = await read('/statements/2026-10');
    const [sealed] = data.sealed_days as { date: string; statement: string; sha256: string }[];
    const statement = JSON.parse(sealed!.statement) as { charged_rub: string };
    expect([sealed!.date, statement.charged_rub]).toEqual(['2026-10-15', total.toString()]);
    expect(createHash('sha256').update(sealed!.statement).digest('hex')).toBe(sealed!.sha256);
  });

  it("has a proof of each request for a holder of the day's root", async () => {
    const answer = (await (
      await fetch(`${gateway.baseUrl}/generation?id=${ids[1]}&proof=true`, {
        headers: { authorization: `Bearer ${gateway.key}` },
      })
    ).json()) as { data: { seals: Seal[] } };
    expectDocumented('GET /generation', answer);
    const [{ root, leaf_count: leaves, lines }] = answer.data.seals as [Seal];
    const [{ line, leaf, index, path }] = lines as [Seal['lines'][number]];
    const hashes = path.map((hash) => Buffer.from(hash, 'hex'));

    expect(line).toMatch(new RegExp(`^charge,${ids[1]},1,2026-10-15T12:00:`));
    expect(leafOf(line).toString('hex')).toBe(leaf);
    expect(rootByPath(leafOf(line), { index, leaves, path: hashes })!.toString('hex')).toBe(root);
  });

  it('has no seals unless they are requested', async () => {
    const { seals } = (await finalGeneration(gateway, ids[1]!)) as { seals?: Seal[] };
    expect(seals).toBeUndefined();
  });

  it('has no statement for an invalid month', async () => {
    const { status, body } = await manage(gateway, 'GET', '/statements/2026-13');
    expect([status, body.error.metadata.field]).toEqual([400, 'month']);
  });
});

const run = (...args: string[]) => adminHere(directory, ...args);

const sealedAccount = () => readdirSync(join(directory, 'books', 'sealed')).find((name) => name !== 'days')!;

/**
 * Verifies a copy of the files without some of them. The copy also has the list of statements of 15 October. The gateway
 * did not write this list, because its first sealing run, in November, writes only the list of the day before.
 */
function verifiedWithout(gone: string[], ...more: string[]) {
  const copy = mkdtempSync(join(directory, 'copy-'));
  cpSync(join(directory, 'books'), copy, { recursive: true });
  const statement = readFileSync(join(copy, 'sealed', sealedAccount(), '2026-10-15', 'statement.json'));
  const hash = createHash('sha256').update(statement).digest('hex');
  mkdirSync(join(copy, 'sealed', 'days'), { recursive: true });
  writeFileSync(join(copy, 'sealed', 'days', '2026-10-15.txt'), `${hash}\n`);
  for (const name of gone) rmSync(join(copy, 'sealed', name), { recursive: true });
  return run(...more, 'verify', '--files', copy, '--key', join(directory, 'public.pem'));
}

async function reconciled(...args: string[]): Promise<object[]> {
  const { out } = await run('--json', 'reconcile', ...args);
  return (JSON.parse(out) as { accounts: object[] }).accounts;
}

describe('October, queried in November at the command line,', () => {
  const days = ['--from', october.from, '--to', october.to];

  it('has a row for each key, member and model, and its proofs', async () => {
    const { out } = await run('statement', ...days, '--by', 'key,member,model');
    expect(out).toMatch(/^server +ann +sandbox\/claude +2 +10 +42 +0 +0\.066 /m);
    expect(out).toContain(total.toString());
    expect(out).toMatch(/proven: 7 records.*lines: agrees.*daily rows: agrees/);
  });

  it.each(['server', 'First key'])('has the spending of %s', async (key) => {
    const whole = JSON.parse((await run('--json', 'statement', ...days, '--by', 'key')).out) as {
      rows: { key: string }[];
    };
    const own = JSON.parse((await run('--json', 'statement', ...days, '--key', key)).out) as { total: object };
    expect(whole.rows.find((row) => row.key === key)).toMatchObject(own.total);
  });

  it('is a file of lines that add up, a page, and files for finance software', async () => {
    const files = join(directory, 'files');
    const { out } = await run('--json', 'statement', '--month', '2026-10', '--files', files);
    const answer = JSON.parse(out) as { files: { name: string }[]; usage_rub: string; proven: boolean };

    expect(answer).toMatchObject({ usage_rub: total.toString(), proven: true });
    expect(answer.files.map(({ name }) => name)).toEqual([
      'generations.csv',
      'days.csv',
      'ledger.csv',
      'prices.csv',
      'focus.csv',
      'focus-metadata.json',
      'statement.csv',
      'statement.json',
      'statement.html',
    ]);
    expect(readFileSync(join(files, 'generations.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(REQUESTS + 2);
  });

  it.each([
    [['--by', 'colour'], /"colour" is unknown. Use a comma-separated list of day, month/],
    [['--month', '2026-13'], /Use a month, for example 2026-10/],
    [['--month', '2026-10', '--from', '2026-10-01'], /cannot be used with/],
    [['--zone', 'Moscow'], /Use a name such as Europe\/Moscow/],
    [['--key', 'nobody'], /There is no key "nobody"/],
    [['--workspace', 'nowhere'], /There is no workspace/],
  ])('has an error message for %j', async (args, words) => {
    const { err, code } = await run('statement', ...args);
    expect(err).toMatch(words);
    expect(code).toBe(1);
  });

  it('adds up, from its rows and from its records', async () => {
    expect(await reconciled('--day', '2026-10-15')).toMatchObject([{ compared: { days: 1 }, findings: [] }]);
    expect(await reconciled('--deep')).toMatchObject([{ compared: { records: REQUESTS }, findings: [] }]);
  });

  it('is proved after all of it was read, so that nightly comparisons continue from there', async () => {
    const refused = await run('reconcile', '--prove');
    const { code } = await run('reconcile', '--deep', '--prove');
    const deep = await reconciled('--deep');

    expect(refused.err).toMatch(/--prove: requires --deep without --day|--prove.*requires --deep/);
    expect(code).toBe(0);
    expect(deep).toMatchObject([{ findings: [] }]);
  });

  it('has a closing document in kopecks, which is unchanged after it is issued', async () => {
    const act = ['papers', 'act', '--month', '2026-10', '--zone', 'UTC', '--by', 'model'];
    const nobody = await run(...act);
    await run('papers', 'party', '--name', 'ООО Ромашка', '--inn', '7701234560', '--address', 'Москва', '--vat', '20');
    const draft = await run('--json', ...act, '--draft');
    const first = await run('--json', ...act, '--out', join(directory, 'papers'));
    await run('papers', 'party', '--name', 'ООО Тюльпан', '--vat', 'none', '--prices-exclude-vat');
    const again = await run('--json', ...act);
    const otherwise = await run('papers', 'act', '--month', '2026-10', '--zone', 'UTC', '--by', 'key');
    const listed = JSON.parse((await run('--json', 'papers', 'list')).out) as object[];

    expect(nobody.err).toMatch(/Set it with "papers party"/);
    const paper = JSON.parse(first.out) as { amount_rub: string; vat_rub: string; exact_rub: string; lines: object[] };
    expect(paper).toMatchObject({ exact_rub: total.toString(), carried_in_rub: '0', upd_status: 1, draft: false });
    expect(paper.lines).toHaveLength(2);
    const { issued_at: _, draft: __, ...same } = JSON.parse(draft.out) as Record<string, unknown>;
    expect(JSON.parse(again.out)).toMatchObject(same);
    expect(otherwise.err).toMatch(/was issued with --by model/);
    expect(listed).toMatchObject([{ month: '2026-10', zone: 'UTC', by: 'model', total_rub: paper.amount_rub }]);
    const csv = readFileSync(join(directory, 'papers', 'act-2026-10.csv'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(csv.at(-1)).toMatch(new RegExp(`^total,,,,[0-9.]+,20,${paper.vat_rub},${paper.amount_rub},`));
  });

  it('has a recipient whose fields can be removed again', async () => {
    const more = await run('--json', 'papers', 'party', '--kpp', '770101001', '--contract', '12 of 1 October');
    const less = await run('--json', 'papers', 'party', '--no-kpp', '--no-contract', '--no-prices-exclude-vat');

    expect(JSON.parse(more.out)).toMatchObject({ kpp: '770101001', contract: '12 of 1 October' });
    expect(JSON.parse(less.out)).toMatchObject({ kpp: null, contract: null, prices_include_vat: true });
  });

  it.each([
    [['--month', '2026-11', '--zone', 'UTC'], /2026-11 is not over yet/],
    [['--month', '2026-09', '--zone', 'UTC'], /2026-10 already has a document, and documents are issued in order/],
  ])('has no document of %j', async (args, words) => {
    const { err } = await run('papers', 'act', ...args);
    expect(err).toMatch(words);
  });

  it('matches the sealed state, with the records and without them', async () => {
    const own = await run('verify');
    const key = join(directory, 'public.pem');
    execFileSync('openssl', ['ec', '-in', join(directory, 'sealing-key.pem'), '-pubout', '-out', key], {
      stdio: 'ignore',
    });
    const ofFiles = await run('--json', 'verify', '--files', join(directory, 'books'), '--key', key);

    expect(own.out).toMatch(/Everything matches the sealed state \(files and records\)/);
    expect(JSON.parse(ofFiles.out)).toMatchObject({
      sound: true,
      compared: 'files',
      accounts: [{ faults: 0 }],
      findings: [],
    });
  });

  it('is reported if a sealed statement was altered', async () => {
    const altered = join(directory, 'altered');
    cpSync(join(directory, 'books'), altered, { recursive: true });
    const account = readdirSync(join(altered, 'sealed')).find((name) => name !== 'days');
    const statement = join(altered, 'sealed', account!, '2026-10-15', 'statement.json');
    writeFileSync(statement, readFileSync(statement, 'utf8').replace('"charged_rub": "0', '"charged_rub": "1'));
    const { out, code } = await run('verify', '--files', altered, '--key', join(directory, 'public.pem'));

    expect(code).toBe(1);
    expect(out).toMatch(/^- 2026-10-15 of [0-9a-f-]{36}: statement\.json does not match its signature$/m);
    expect(out).toContain('Something does NOT match the sealed state');
  });

  it('is reported by files alone if those of the account or of the day are missing', async () => {
    for (const gone of [sealedAccount(), join(sealedAccount(), '2026-10-15')]) {
      const { out, code } = await verifiedWithout([gone]);
      expect(code).toBe(1);
      expect(out).toMatch(
        /^- 2026-10-15: days\/2026-10-15\.txt lists the statement [0-9a-f]{64}, which does not exist/m,
      );
      expect(out).toContain('Something does NOT match the sealed state');
    }
  });

  it('is checked for one account if only its files were downloaded', async () => {
    const { code } = await verifiedWithout([], '--account', sealedAccount());
    const nobody = await verifiedWithout([], '--account', 'nobody');
    expect(code).toBe(0);
    expect([nobody.code, nobody.err]).toEqual([1, expect.stringMatching(/no folder "sealed\/nobody"/) as string]);
  });

  it('is reported if all files of an account are missing', async () => {
    const [at, away] = [join(directory, 'books'), join(directory, 'away')];
    renameSync(at, away);
    const { out, code } = await run('verify');
    renameSync(away, at);

    expect(code).toBe(1);
    expect(out).toMatch(/statement\.json is missing, although the day is sealed in the table/);
  });

  it('needs a key, whose absence is reported with the remedy', async () => {
    const { err } = await run('verify', '--files', directory);
    expect(err).toMatch(/Pass the public key with --key <file>/);
  });

  it('has an export that proves the books in SQL', async () => {
    const to = join(directory, 'export');
    await run('export', to);
    const { out } = await run('books', to);
    const { out: rows } = await run(
      '--json',
      'books',
      to,
      "SELECT member_id, sum(total_cost_rub) AS rub FROM generations WHERE created_at < '2026-10-23' GROUP BY ALL ORDER BY ALL",
    );

    expect(out).toContain('The books are correct.');
    const ofMembers = JSON.parse(rows) as { rub: string }[];
    expect(Money.sum(ofMembers.map(({ rub }) => Money.parse(rub))).toString()).toBe(total.toString());
  });

  it('has the database’s error message for a wrong query', async () => {
    const { err, code } = await run('books', join(directory, 'export'), 'SELECT colour FROM generations');
    expect([code, err]).toEqual([1, expect.stringMatching(/"colour" not found/) as string]);
  });

  it('has an error with the remedy without an export', async () => {
    const { err } = await run('books', join(directory, 'nothing'));
    expect(err).toMatch(/contains no full export of the table\. Create one with "export <dir>"/);
  });
});
