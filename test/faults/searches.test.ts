import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finalGeneration, get, said, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';
import { manage } from '../support/manage.ts';
import {
  PRICES,
  SEARCH_PRICE,
  startSearchingGateway,
  tower,
  type SearchingGateway,
} from '../support/searching-gateway.ts';
import { readEvents } from '../support/sse.ts';

const ROUNDS = 5;
const AT_ONCE = 8;
const LIMIT_RUB = 100_000;
/**
 * Reported usage of each round. It exceeds the gateway's estimates, so that an interrupted round costs no more than a
 * complete one.
 */
const USAGE = { prompt: 1_000, completion: 20 };

let search: SearchingGateway;
let gateway: RunningGateway;
beforeAll(async () => {
  search = await startSearchingGateway();
  const created = await manage(search.gateway, 'POST', '/keys', { name: 'limited', limit: LIMIT_RUB });
  gateway = { ...search.gateway, key: (created.body as { key: string }).key };
});
afterAll(() => search.stop());

/** Each fault affects one round of its turn. */
const mishaps = ['none', 'provider once', 'provider for ever', 'broken off', 'client leaves'] as const;
type Mishap = (typeof mishaps)[number];

const failures = [429, 500, 503] as const;
const failsAt = (turn: number, round: number) => (turn + round) % 4 === 0;

/** Makes every fourth search fail, and makes the provider fail as the turn's message specifies. */
function inject(): void {
  const failedOnce = new Set<string>();
  search.finds((query) => {
    const [turn, round] = query.split(' ').map(Number) as [number, number];
    return failsAt(turn, round) ? failures[(turn + 2 * round) % failures.length]! : tower;
  });
  search.behaves(({ messages }) => {
    const [, turn, mishap] = /turn (\d+): (.*)/.exec(JSON.stringify(messages[0]!.content).replaceAll('"', ''))!;
    const round = messages.filter(({ role }) => role === 'tool').length;
    const at = 1 + (Number(turn) % ROUNDS);
    const isNow = round === at;
    if (isNow && mishap === 'provider for ever') return { status: 503 };
    if (isNow && mishap === 'provider once' && !failedOnce.has(turn!)) {
      failedOnce.add(turn!);
      return { status: 529 };
    }
    const said = { text: 'Some words of the model. ', usage: USAGE };
    if (isNow && mishap === 'broken off') return { ...said, breaksAt: 2 };
    return round < ROUNDS ? { ...said, calls: [{ input: { query: `${turn} ${round}` } }] } : said;
  });
}

/** Takes one turn as a client, and returns the id of the generation. */
async function take(turn: number, mishap: Mishap): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${gateway.baseUrl}/messages`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { 'x-api-key': gateway.key, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'test/model',
      max_tokens: 1_000,
      stream: mishap === 'client leaves' || turn % 2 === 0,
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
      messages: [said(`turn ${turn}: ${mishap}`)],
    }),
  });
  const id = response.headers.get('x-generation-id')!;
  if (mishap !== 'client leaves') {
    await response.text();
    return id;
  }
  let results = 0;
  await readEvents(response, (event) => {
    if (event.type === 'content_block_start' && event.content_block.type === 'web_search_tool_result') results += 1;
    if (results > turn % ROUNDS) leaving.abort();
  }).catch(() => undefined);
  return id;
}

/** Returns the price of a turn in which only searches failed. */
function priceOf(turn: number): number {
  const found = Array.from({ length: ROUNDS }, (_, round) => failsAt(turn, round)).filter((failed) => !failed).length;
  const tokens = USAGE.prompt * Number(PRICES.prompt) + USAGE.completion * Number(PRICES.completion);
  return (ROUNDS + 1) * tokens + found * SEARCH_PRICE;
}

describe('searches over several turns with failures of all kinds', () => {
  it('leave no hold, and cost the searches and the tokens that were made', { timeout: 300_000 }, async () => {
    inject();
    const turns = Array.from({ length: repeated(100, { ofWhichAlways: 20 }) }, (_, turn) => ({
      turn,
      mishap: mishaps[turn % mishaps.length]!,
    }));

    const ids: string[] = [];
    const next = turns.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const { turn, mishap } of next) ids[turn] = await take(turn, mishap);
      }),
    );

    const records = await Promise.all(ids.map((id) => finalGeneration(gateway, id)));
    for (const { turn, mishap } of turns) {
      const { total_cost: cost } = records[turn] as { total_cost: number };
      if (mishap === 'none' || mishap === 'provider once') expect(cost).toBeCloseTo(priceOf(turn), 9);
      else expect(cost).toBeLessThanOrEqual(priceOf(turn) + 1e-9);
    }
    const { data } = (await (await get(gateway, '/key')).json()) as { data: Record<string, number> };
    const sum = records.reduce((total, record) => total + (record['total_cost'] as number), 0);
    expect(data['usage']).toBeCloseTo(sum, 6);
    expect(data['limit_remaining']! + data['usage']!).toBeCloseTo(LIMIT_RUB, 6);
  });
});
