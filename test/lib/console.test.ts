import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { buildConsole } from '../../lib/shared/bundles/console-bundle.ts';
import { workspaceSlug } from '../../lib/console/account.ts';
import { emptyAnswer, withEvent } from '../../lib/console/answer-state.ts';
import { changeNameAfter } from '../../lib/console/change-name.ts';
import { codeSamples, sampleNames } from '../../lib/console/code-samples.ts';
import { groupedDigits, parseExactJson, shareOf, typedMoney } from '../../lib/console/exact-numbers.ts';
import { hashOf, readHashRoute } from '../../lib/console/hash-route.ts';
import { fitsSearch } from '../../lib/console/key-search.ts';
import { modelsOfMonth } from '../../lib/console/model-month.ts';
import { spendingByDay } from '../../lib/console/spending-by-day.ts';
import { firstModelOf, messagesBody, type PlaygroundDraft } from '../../lib/console/playground-request.ts';
import { weekByModel } from '../../lib/console/member-data.ts';
import { searchRequests, withNewest, type RequestPage, type FoundRequests } from '../../lib/console/request-search.ts';
import { runOutOf } from '../../lib/console/run-out.ts';
import type { ShownWorkspace } from '../../lib/console/answers.ts';
import { languages } from '../../lib/console/texts/languages.ts';

const rub = (text: string) => Money.parse(text);

const MAX_ZIPPED_BYTES = 150 * 1024;

describe('the files of the console', () => {
  it('stay below their size limits', async () => {
    const files = await buildConsole();
    const zipped = Object.values(files).map((text) => gzipSync(text).length);

    expect(zipped.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(MAX_ZIPPED_BYTES);
  });

  it('send requests only to the gateway', async () => {
    const files = await buildConsole();

    const addresses = Object.values(files).flatMap((text) => text.match(/https?:\/\/[^"'`\s)]+/g) ?? []);
    // Names of XML namespaces look like URLs, but a browser does not load them.
    expect(addresses.filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([]);
  });
});

describe('an amount in the console', () => {
  it.each(['0.1', '1234567.000000000001', '12345678901234567890.5', '0.0000001', '7', '-2.5'])(
    'keeps the digits of %s',
    (digits) => {
      const { cost } = parseExactJson(`{"cost":${digits}}`) as { cost: number | string };

      expect(String(cost)).toBe(digits);
      expect(groupedDigits(cost, 'en').replaceAll('\u202f', '').replace('\u2212', '-')).toBe(digits);
    },
  );

  it('has grouped digits and the decimal sign of the language', () => {
    expect(groupedDigits('1234567.891', 'en')).toBe('1\u202f234\u202f567.891');
    expect(groupedDigits('-1234.5', 'ru')).toBe('\u22121\u202f234,5');
  });

  it.each([
    ['1 500,25', '1500.25'],
    ['0.10', '0.1'],
    ['0,125', '0.125'],
    ['1500,255', '1500.255'],
    ['1,500', undefined],
    ['999,000', undefined],
    ['1,500.50', undefined],
    ['', undefined],
    ['-1', undefined],
    ['1e3', undefined],
    ['12 roubles', undefined],
  ])('is parsed from the input "%s"', (typed, digits) => {
    expect(typedMoney(typed)?.toString()).toBe(digits);
  });

  it('fills a bar to at most 100 %', () => {
    expect(shareOf(rub('1'), rub('4'))).toBe(0.25);
    expect(shareOf(rub('9'), rub('4'))).toBe(1);
    expect(shareOf(rub('0'), rub('0'))).toBe(1);
  });
});

const modelOf = (id: string, available: boolean | null, makes: ('text' | 'video')[] = ['text']) => ({
  id,
  available,
  architecture: { output_modalities: makes },
});

describe('the first model of the playground', () => {
  it.each([
    ['is known to be callable', [modelOf('a/none', false), modelOf('b/maybe', null), modelOf('c/yes', true)], 'c/yes'],
    ['may be callable if no model is known to be', [modelOf('a/none', false), modelOf('b/maybe', null)], 'b/maybe'],
    ['writes text', [modelOf('a/film', true, ['video']), modelOf('c/yes', true)], 'c/yes'],
    ['is undefined if no model can be called', [modelOf('a/none', false)], undefined],
  ])('%s', (_what, models, first) => {
    expect(firstModelOf(models)).toBe(first);
  });
});

const week = (spent: Money) => ({ spent, days: 7 });
describe('the estimated time at which a limit runs out', () => {
  const NOW = Date.parse('2026-11-20T12:00:00Z');
  const days = (count: number) => NOW + count * 24 * 60 * 60_000;

  it('divides the remaining amount by the mean of seven days', () => {
    expect(runOutOf(rub('30'), week(rub('70')), NOW)).toEqual({ kind: 'at', atMs: days(3) });
  });

  it('is absent if the limit resets earlier', () => {
    expect(runOutOf(rub('30'), week(rub('70')), NOW, days(2))).toEqual({ kind: 'lasts' });
    expect(runOutOf(rub('30'), week(rub('70')), NOW, days(4))).toEqual({ kind: 'at', atMs: days(3) });
  });

  it('distinguishes an exhausted limit, an unused one, and one that lasts for long', () => {
    expect(runOutOf(Money.zero, week(rub('70')), NOW)).toEqual({ kind: 'is_out' });
    expect(runOutOf(rub('30'), week(Money.zero), NOW)).toEqual({ kind: 'no_pace' });
    expect(runOutOf(rub('1000000'), week(rub('0.7')), NOW)).toEqual({ kind: 'lasts' });
  });
});

const listed = (id: string, more: object = {}) => ({ id, status: 'complete', ...more }) as RequestPage['data'][number];

const page = (ids: string[], next: string | null): RequestPage => ({
  data: ids.map((id) => listed(id)),
  next_cursor: next,
  searched_until: next === null ? null : `until ${next}`,
});

describe('a search of requests', () => {
  const sought = { filters: { model: 'rare' }, from: '2026-11-20', cursor: '', rows: 2 };

  it('loads pages until it has enough rows, and reports its progress', async () => {
    const pages = [page([], 'gen-7'), page(['gen-5'], 'gen-4'), page(['gen-3'], 'gen-3'), page(['gen-1'], null)];
    const paths: string[] = [];
    const found: FoundRequests[] = [];
    const read = async (path: string) => pages[paths.push(path) - 1]!;

    await searchRequests(read, sought, (state) => found.push(state));

    expect(paths).toEqual(
      ['', '&cursor=gen-7', '&cursor=gen-4'].map((at) =>
        expect.stringMatching(new RegExp(`^/generations\\?model=rare&from=2026-11-20${at}&limit=2$`)),
      ),
    );
    expect(found.map(({ rows, isSearching }) => [rows.length, isSearching])).toEqual([
      [0, true],
      [1, true],
      [2, false],
    ]);
    expect(found.at(-1)).toMatchObject({ cursor: 'gen-3', searchedUntil: 'until gen-3' });
  });

  it('pauses for the user after many pages without a match', async () => {
    let answers = 0;
    const found: FoundRequests[] = [];
    const read = async () => page([], `gen-${(answers += 1)}`);

    await searchRequests(read, sought, (state) => found.push(state));

    expect(answers).toBe(25);
    expect(found.at(-1)).toMatchObject({ rows: [], isSearching: false, cursor: 'gen-25' });
  });

  it('adds newer requests above the known ones, each once, in its current state', () => {
    const known = { rows: [listed('gen-4', { status: 'pending' }), listed('gen-2')], cursor: 'gen-2' } as FoundRequests;
    const newest = { ...page(['gen-5', 'gen-4'], 'gen-3'), replacesKnown: false };

    const { rows, cursor } = withNewest(known, newest);

    expect(rows.map(({ id, status }) => [id, status])).toEqual([
      ['gen-5', 'complete'],
      ['gen-4', 'complete'],
      ['gen-2', 'complete'],
    ]);
    expect(cursor).toBe('gen-2');
  });
});

const day = (date: string, model: string, usage: string, user = 'ann') =>
  ({ date, model, usage, requests: 2, workspace_id: 'w', user_id: user }) as never;

describe('the week of a member by model', () => {
  const member = { id: 'ann', workspace_id: 'w' };

  it('adds completed days since Monday to the requests of today, most expensive first', () => {
    const activity = [
      day('2026-11-22', 'cheap', '100'),
      day('2026-11-23', 'cheap', '0.1'),
      day('2026-11-23', 'dear', '0.2'),
      day('2026-11-23', 'dear', '9', 'bob'),
    ];
    const today = [
      listed('gen-3', { model: 'dear', total_cost: '0.000000000001' }),
      listed('gen-2', { model: 'dear', total_cost: null }),
    ];

    const week = weekByModel({ activity, readAtMs: Date.parse('2026-11-24T12:00:00Z') }, member, today);

    expect(week.map(({ model, requests, cost }) => [model, requests, String(cost)])).toEqual([
      ['dear', 3, '0.200000000001'],
      ['cheap', 2, '0.1'],
    ]);
  });
});

const spentBy = (model: string, today: string, month: string) => ({
  model,
  usage_daily: today,
  usage_weekly: month,
  usage_monthly: month,
});

const monthData = (models: ReturnType<typeof spentBy>[]) =>
  ({
    credits: { usage_daily: '0.3', usage_weekly: '10.3', usage_monthly: '10.3' },
    models: { data: models, counted_from: '2026-11-20' },
    month: { rows: [{ model: 'dear', requests: 3, prompt_tokens: 5, completion_tokens: 7, usage: '7' }] },
  }) as unknown as Parameters<typeof modelsOfMonth>[0];

describe('the models of the month', () => {
  it('are ordered by cost with today, and have the mean cost of a request on completed days', () => {
    const rows = modelsOfMonth(monthData([spentBy('cheap', '0.1', '3.1'), spentBy('dear', '0.2', '7.2')]));

    expect(rows.map(({ model, daily, monthly }) => [model, String(daily), String(monthly)])).toEqual([
      ['dear', '0.2', '7.2'],
      ['cheap', '0.1', '3.1'],
    ]);
    expect(String(rows[0]!.completed!.costOfRequest)).toBe('2.333');
    expect(rows[1]!.completed).toBeNull();
  });

  it('add up to the spending of the account, also if some of it is not counted by model', () => {
    const rows = modelsOfMonth(monthData([spentBy('dear', '0.2', '7.2')]));

    expect(rows.map(({ model, monthly }) => [model, String(monthly)])).toEqual([
      ['dear', '7.2'],
      [null, '3.1'],
    ]);
    expect(String(Money.sum(rows.map(({ monthly }) => monthly)))).toBe('10.3');
  });
});

describe('the spending of thirty days', () => {
  it('has today from the counters, with a row for spending without a known name', () => {
    const data = {
      readAtMs: Date.parse('2026-11-24T12:00:00Z'),
      credits: { usage_daily: '0.5' },
      activity: [day('2026-11-23', 'dear', '0.2'), day('2026-11-23', 'dear', '0.1', 'bob')],
      workspaces: [],
      keys: [],
      members: [{ id: 'ann', workspace_id: 'w', usage_daily: '0.2' }],
      models: { data: [spentBy('dear', '0.5', '0.8')] },
    } as unknown as Parameters<typeof spendingByDay>[0];
    const rowsBy = (by: 'model' | 'member') =>
      spendingByDay(data, by, languages.en).map(({ date, name, requests, cost }) => [
        date,
        name,
        requests,
        String(cost),
      ]);

    expect(rowsBy('model')).toEqual([
      ['2026-11-24', 'dear', null, '0.5'],
      ['2026-11-23', 'dear', 4, '0.3'],
    ]);
    expect(rowsBy('member')).toEqual([
      ['2026-11-24', 'no member', null, '0.3'],
      ['2026-11-24', 'ann', null, '0.2'],
      ['2026-11-23', 'ann', 2, '0.2'],
      ['2026-11-23', 'bob', 2, '0.1'],
    ]);
  });
});

describe('the search for a key', () => {
  const key = { name: 'Support bot', label: 'sk-mg-v1-b94…0af', member_id: 'ann', tags: { team: 'care' } };
  const whole = `sk-mg-v1-b94${'1'.repeat(58)}0af`;

  it.each(['', 'support', 'BOT', 'ann', 'team=care', 'sk-mg-v1-b9', 'sk-mg-v1-b9411', whole])(
    'finds it by "%s"',
    (typed) => expect(fitsSearch(key, typed)).toBe(true),
  );

  it.each(['other', 'sk-mg-v1-c11', `${whole.slice(0, -1)}b`])('does not find it by "%s"', (typed) =>
    expect(fitsSearch(key, typed)).toBe(false),
  );
});

describe('the texts of the console', () => {
  it('exist in each language, and none is empty', () => {
    const empty = Object.entries(languages).flatMap(([language, texts]) =>
      leaves(texts, language).filter(([, text]) => text.trim() === ''),
    );
    const [first, ...others] = Object.values(languages).map((texts) => leaves(texts, '').map(([path]) => path));

    expect(empty).toEqual([]);
    for (const paths of others) expect(paths.toSorted()).toEqual(first!.toSorted());
  });
});

/** Returns all texts with their paths. A text that takes values is called with examples. */
function leaves(texts: object, path: string): [string, string][] {
  return Object.entries(texts).flatMap(([name, text]: [string, unknown]): [string, string][] => {
    if (typeof text === 'string') return [[`${path}.${name}`, text]];
    if (typeof text === 'function') return [[`${path}.${name}`, String((text as (...of: unknown[]) => unknown)(1, 2))]];
    return leaves(text as object, `${path}.${name}`);
  });
}

describe('an address within the console', () => {
  it('contains a page, an item on it, and filters', () => {
    const hash = hashOf('models', 'sandbox/claude', { compare: 'a,b', empty: '' });

    const { page, id, query } = readHashRoute(hash);
    expect([page, id, Object.fromEntries(query)]).toEqual(['models', 'sandbox/claude', { compare: 'a,b' }]);
  });

  it.each([
    ['', 'overview'],
    ['#/', 'overview'],
    ['#/keys', 'keys'],
    ['#/%zz', '%zz'],
  ])('is read from "%s"', (hash, page) => {
    expect(readHashRoute(hash)).toMatchObject({ page, id: undefined });
  });
});

describe('a streamed answer in the playground', () => {
  it('is assembled from its events: thinking, text, a call, usage and the exact cost', () => {
    const events = [
      { type: 'message_start', message: { id: 'gen-1', model: 'sandbox/claude', usage: { input_tokens: 3 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { thinking: 'Hm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { text: 'Hel' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 1, delta: { text: 'lo' } },
      { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', name: 'look', input: {} } },
      { type: 'content_block_delta', index: 2, delta: { partial_json: '{"a":1}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5, cost: '0.0303' } },
      { type: 'message_stop' },
    ];

    const answer = events.reduce(withEvent, emptyAnswer);

    expect(answer.blocks.map(({ kind, name, text }) => [kind, name, text])).toEqual([
      ['thinking', '', 'Hm'],
      ['text', '', 'Hello'],
      ['call', 'look', '{"a":1}'],
    ]);
    expect(answer).toMatchObject({ stopReason: 'tool_use', cost: '0.0303', isDone: true, failure: undefined });
    expect(answer.usage).toMatchObject({ input_tokens: 3, output_tokens: 5 });
  });

  it('ends with an error that the gateway reports', () => {
    const answer = withEvent(emptyAnswer, { type: 'error', error: { message: 'overloaded' } });

    expect(answer).toMatchObject({ isDone: true, failure: 'overloaded' });
  });
});

describe('the request of the playground', () => {
  const draft: PlaygroundDraft = {
    model: 'sandbox/claude',
    system: 'Be brief',
    prompt: "It's me",
    maxTokens: '100',
    tools: '[{"name":"look","description":"Looks","input_schema":{"type":"object"}}]',
    isSearching: true,
    isThinking: true,
    image: { mediaType: 'image/png', base64: 'AAAA' },
  };

  it('has all values of the form', () => {
    expect(messagesBody(draft)).toEqual({
      model: 'sandbox/claude',
      max_tokens: 100,
      stream: true,
      system: 'Be brief',
      tools: [
        { name: 'look', description: 'Looks', input_schema: { type: 'object' } },
        { type: 'web_search_20250305', name: 'web_search' },
      ],
      thinking: { type: 'adaptive', display: 'summarized' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'text', text: "It's me" },
          ],
        },
      ],
    });
  });

  it('refuses tools that are not a list', () => {
    expect(() => messagesBody({ ...draft, tools: '{}' })).toThrow(SyntaxError);
    expect(() => messagesBody({ ...draft, tools: '[' })).toThrow(SyntaxError);
    expect(() => messagesBody({ ...draft, tools: '[null]' })).toThrow(SyntaxError);
  });

  it.each(sampleNames)('is there as code for %s, with all of it', (name) => {
    const sample = codeSamples(messagesBody(draft), 'https://gateway.example/v1')[name];

    for (const part of ['sandbox/claude', 'Be brief', 'look', 'web', 'AAAA', '100']) expect(sample).toContain(part);
    expect(sample).toContain(name === 'curl' ? String.raw`It'\''s me` : "It's me");
  });
});

const failureWith = (status: number) => Object.assign(new Error('failed'), { status });

describe('a change in the console', () => {
  it.each([
    ['no response', new Error('no response')],
    ['status 504', failureWith(504)],
    ['status 400', failureWith(400)],
  ])('keeps its idempotency key after %s, so that a retry does not make it twice', (_, failure) => {
    expect(changeNameAfter(failure, 'first')).toBe('first');
  });

  it('gets a new idempotency key after a conflict', () => {
    expect(changeNameAfter(failureWith(409), 'first')).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('the workspace of a link to keys', () => {
  const workspaces = [{ id: 'ae9e2f7c', slug: 'default' }] as ShownWorkspace[];

  it.each([
    ['its id, as in the explanation of a refusal', 'ae9e2f7c', 'default'],
    ['its slug', 'default', 'default'],
    ['nothing', '', ''],
  ])('is found by %s', (_, given, expected) => {
    expect(workspaceSlug({ workspaces }, given)).toBe(expected);
  });
});
