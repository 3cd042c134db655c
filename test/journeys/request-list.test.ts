import { beforeAll, describe, expect, it } from 'vitest';
import { utcDate } from '../../lambdas/money/periods.ts';
import { commonGateway } from '../support/common-gateway.ts';
import { finalGeneration, post, said, type GatewayClient } from '../support/gateway.ts';
import { manage } from '../support/manage.ts';
import { copyGeneration } from '../support/many-generations.ts';

/** A page looks at 400. */
const COPIES = 1_000;
const PAGES = 3;

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
}, 60_000);

interface Page {
  data: { id: string }[];
  next_cursor: string | null;
  searched_until: string | null;
}

async function pagesOf(filter: string): Promise<Page[]> {
  const pages: Page[] = [];
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const from = cursor === undefined ? '' : `&cursor=${cursor}`;
    pages.push((await manage(gateway, 'GET', `/generations?${filter}${from}`)).body);
    cursor = pages.at(-1)!.next_cursor;
  }
  return pages;
}

describe('a list of requests with a filter that fits none of many', () => {
  it('looks at few of them for one page, and says how far it has come', async () => {
    const pages = await pagesOf('model=sandbox/gpt');

    expect(pages.map(({ data }) => data)).toEqual(Array.from({ length: PAGES }, () => []));
    const times = pages.map(({ searched_until: until }) => until);
    expect(times.at(-1)).toBeNull();
    expect(times.slice(0, -1).every((time) => time! < new Date().toISOString())).toBe(true);
    expect(times.slice(0, -1)).toEqual(times.slice(0, -1).toSorted().toReversed());
  });
});

describe('a list of many requests', () => {
  it('has each once, whatever the size of its pages', async () => {
    const pages = await pagesOf('limit=97');

    const listed = pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(listed).toEqual(ids.toSorted().toReversed());
  });
});
