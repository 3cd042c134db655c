import { beforeAll, describe, expect, it } from 'vitest';
import { utcDate } from '../../lambdas/money/periods.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { copyGeneration } from '../support/many-generations.ts';

/** Number of copied requests. It exceeds the number of requests that are read for one page. */
const COPIES = 1_000;
const DAY_MS = 86_400_000;
const DAYS_AGO = [20, 31, 75];

let gateway: GatewayClient;
let ids: string[];
beforeAll(async () => {
  gateway = await commonGateway();
  const asked = { model: 'sandbox/claude', max_tokens: 20, messages: [said('Hello', 'delay=0')] };
  const { id } = (await (await post(gateway, '/messages', asked)).json()) as { id: string };
  await finalGeneration(gateway, id);
  const spanMs = Date.now() - Date.parse(utcDate(Date.now()));
  const of = { accountId: gateway.accountId, id, count: COPIES, endMs: Date.now(), spanMs };
  ids = [...(await copyGeneration(gateway.table(), of)), id];
});

interface Page {
  data: { id: string }[];
  next_cursor: string | null;
  searched_until: string | null;
}

async function pagesOf(filter: string, on = gateway): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const from = cursor === undefined ? '' : `&cursor=${cursor}`;
    pages.push((await manage(on, 'GET', `/generations?${filter}${from}`)).body);
    cursor = pages.at(-1)!.next_cursor;
  }
  return pages;
}

describe('a filtered list of requests', () => {
  it('has no empty page before the last page', async () => {
    const pages = await pagesOf('model=sandbox/gpt');

    expect(pages).toEqual([{ data: [], next_cursor: null, searched_until: null }]);
  });

  it('has on each page but the last the time up to which it is complete', async () => {
    const pages = await pagesOf('model=sandbox/claude&limit=90');

    const times = pages.map(({ searched_until: until }) => until);
    expect(times.at(-1)).toBeNull();
    expect(times.slice(0, -1).every((time) => time! < new Date().toISOString())).toBe(true);
    expect(times.slice(0, -1)).toEqual(times.slice(0, -1).toSorted().toReversed());
  });
});

describe('a list of requests over days with few requests', () => {
  it('has no empty page, and no cursor after the last request', async () => {
    const sparse = await commonGateway();
    const asked = { model: 'sandbox/claude', max_tokens: 20, messages: [said('Hello', 'delay=0')] };
    const { id } = (await (await post(sparse, '/messages', asked)).json()) as { id: string };
    await finalGeneration(sparse, id);
    const old: string[] = [];
    for (const days of DAYS_AGO) {
      const endMs = Date.now() - days * DAY_MS;
      old.push(...(await copyGeneration(sparse.table(), { ...sparse, id, count: 2, endMs, spanMs: 1_000 })));
    }
    const from = utcDate(Date.now() - 95 * DAY_MS);

    const pages = await pagesOf(`from=${from}&limit=3`, sparse);

    const listed = pages.map(({ data }) => data.map((entry) => entry.id));
    expect(listed.flat()).toEqual([...old, id].toSorted().toReversed());
    expect(listed.map(({ length }) => length)).toEqual([3, 2, 2]);
  });
});

describe('a list with many requests', () => {
  it.each([97, 91])('has each request once, on pages of %i that are never empty', async (limit) => {
    const pages = await pagesOf(`limit=${limit}`);

    const listed = pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(listed).toEqual(ids.toSorted().toReversed());
    expect(pages.every(({ data }) => data.length > 0)).toBe(true);
  });
});
