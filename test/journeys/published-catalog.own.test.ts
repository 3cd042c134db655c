/** Publishes a catalog with other prices while requests are running, and returns to the first catalog. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';
import { readGeneration } from '../../lambdas/store/generations/generation-queries.ts';
import { adminHere } from '../support/admin.ts';
import { catalogDirectory, textModel, type CatalogDirectory } from '../support/catalog.ts';
import { finalGeneration, get, post, said, startGateway, type RunningGateway } from '../support/gateway.ts';
import { repeated } from '../support/long-runs.ts';

const AT_ONCE = repeated(100, { ofWhichAlways: 30 });
/** A request to a local function waits for a check for a new catalog if the last check was two seconds ago. */
const IN_FORCE_MS = 2_100;

const prices = { first: { prompt: '0.001', completion: '0.003' }, second: { prompt: '0.0017', completion: '0.0051' } };
type Side = keyof typeof prices;

const offered = (pricing: object, endpoint: object = {}) =>
  textModel('test/changing', [{ provider: 'sandbox-anthropic', upstream_model: 'claude', pricing, ...endpoint }]);

let catalogs: Record<Side, CatalogDirectory>;
let directory: string;
let gateway: RunningGateway;
beforeAll(async () => {
  catalogs = { first: catalogDirectory([offered(prices.first)]), second: catalogDirectory([offered(prices.second)]) };
  directory = mkdtempSync(join(tmpdir(), 'gateway-publishing-'));
  gateway = await startGateway({ args: ['--data', directory, '--catalog', catalogs.first.path] });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
  for (const { remove } of Object.values(catalogs)) remove();
});

const run = (...args: string[]) => adminHere(directory, ...args);
const versionOf = async () =>
  (JSON.parse((await run('--json', 'catalog', 'show')).out) as { version: string | null }[])[0]!.version;

interface Asked {
  id: string;
  /** Reads the stream to its end, and returns the cost in it. */
  told: () => Promise<string>;
}

async function ask(index: number, delayMs = 0): Promise<Asked> {
  const answer = await post(gateway, '/messages', {
    model: 'test/changing',
    max_tokens: 20 + (index % 7),
    stream: true,
    messages: [said('Hi', `delay=${delayMs}`)],
  });
  if (answer.status !== 200) throw new Error(await answer.text());
  return {
    id: answer.headers.get('x-generation-id')!,
    async told() {
      const text = await answer.text();
      expect(text).not.toContain('event: error');
      return /"cost":([\d.]+)/.exec(text.slice(text.lastIndexOf('"usage"')))![1]!;
    },
  };
}

/** Sends concurrent requests, whose answers take some seconds each. */
const askMany = () => Promise.all(Array.from({ length: AT_ONCE }, (_, index) => ask(index, 110 + (index % 5) * 10)));

/** Number of clients that send one request after another while the catalog changes. */
const CLIENTS = repeated(4, { ofWhichAlways: 2 });
/** Maximum number of requests of a client. The slowest change of the catalog ends before. */
const MAX_OF_A_CLIENT = 500;

/**
 * Sends requests without a pause: at least one per client before the work begins, others during the work, and one more
 * per client after it.
 * @returns short answers in the order in which they began
 */
async function askDuring(work: () => Promise<void>): Promise<Asked[]> {
  const begun: Asked[] = [];
  const over = new AbortController();
  const sendOneAttempt = async (count: number) => {
    const { id, told: read } = await ask(count, 5);
    const told = read();
    begun.push({ id, told: () => told });
    await told;
  };
  const client = async () => {
    for (let count = 0, isLast = false; !isLast && count < MAX_OF_A_CLIENT; count += 1) {
      isLast = over.signal.aborted;
      await sendOneAttempt(count);
    }
  };
  await sendOneAttempt(0);
  await Promise.all([work().finally(() => over.abort()), ...Array.from({ length: CLIENTS }, client)]);
  return begun;
}

/** The first answer must be charged at the old prices, and the last at the new prices. */
async function expectOneSwitch(flow: Asked[], from: Side, to: Side): Promise<void> {
  const sides = await sidesOf(flow);
  expect([sides[0], sides.at(-1)]).toEqual([from, to]);
}

/** Returns the prices at which each request was charged, from its tokens and cost. */
async function sidesOf(asked: Asked[]): Promise<Side[]> {
  return Promise.all(
    asked.map(async ({ id, told: read }) => {
      const told = await read();
      const { total_cost: cost, tokens_prompt: input, tokens_completion: output } = await finalGeneration(gateway, id);
      expect(String(cost)).toBe(told);
      const side = (Object.keys(prices) as Side[]).find((name) => {
        const { prompt, completion } = prices[name];
        const due = Money.parse(prompt)
          .times(Number(input))
          .plus(Money.parse(completion).times(Number(output)));
        return due.equals(Money.parseNumber(String(cost)));
      });
      expect(side).toBeDefined();
      return side!;
    }),
  );
}

describe('without a published catalog', () => {
  it.each(['withdraw', 'rollback'])('catalog %s fails, because there is nothing to do', async (command) => {
    const { code, err } = await run('catalog', command, '--yes');

    expect(code).toBe(1);
    expect(err).toMatch(/^(Nothing was|No catalog is) published/);
  });
});

describe('a catalog that is published during requests', () => {
  it('does not change their prices, only those of later requests', async () => {
    const before = await askMany();
    const during = await askDuring(async () => {
      const { out } = await run('catalog', 'publish', catalogs.second.path, '--yes');
      expect(out).toContain('2 prices and 0 other values differ');
      await sleep(IN_FORCE_MS);
    });
    const after = await askMany();

    expect(new Set(await sidesOf(before))).toEqual(new Set(['first']));
    await expectOneSwitch(during, 'first', 'second');
    expect(new Set(await sidesOf(after))).toEqual(new Set(['second']));
  });

  it('has the prices that /models shows, and the version that records name', async () => {
    const { pricing } = ((await (await get(gateway, '/models/test/changing')).json()) as { data: { pricing: object } })
      .data;
    expect(pricing).toMatchObject(prices.second);
    const { id, told } = await ask(0);
    await told();
    await finalGeneration(gateway, id);
    expect(await readGeneration(gateway.table(), gateway.accountId, id)).toMatchObject({
      catalogVersion: await versionOf(),
    });
  });

  it('is rolled back in the same way', async () => {
    const before = await askMany();
    const during = await askDuring(async () => {
      await run('catalog', 'rollback', '--yes');
      await sleep(IN_FORCE_MS);
    });
    const after = await askMany();

    expect(new Set(await sidesOf(before))).toEqual(new Set(['second']));
    await expectOneSwitch(during, 'second', 'first');
    // Before the first publication, the gateway used the catalog with which it was started.
    expect(new Set(await sidesOf(after))).toEqual(new Set(['first']));
  });

  it('does not apply again by a second rollback that names no version', async () => {
    const { code, err } = await run('catalog', 'rollback', '--yes');

    expect(code).toBe(1);
    expect(err).toMatch(
      /is the result of a rollback from \S+, which this command would publish again. Choose a version with --to/,
    );
    expect(await versionOf()).toBeNull();
  });

  it('has an entry of each change in the audit log', async () => {
    const { out } = await run('--json', 'audit', '--gateway');
    expect((JSON.parse(out) as { action: string }[]).map(({ action }) => action)).toEqual([
      'catalog.rollback',
      'catalog.publish',
    ]);
  });
});

describe('a catalog before its publication', () => {
  it('without --yes is only compared', async () => {
    const { out } = await run('catalog', 'publish', catalogs.second.path);
    expect(out).toContain('Nothing was published');
    expect(await versionOf()).toBeNull();
  });

  it('is reported if it makes a model free', async () => {
    const provider = {
      id: 'acme',
      name: 'Acme',
      wire: 'openai-chat',
      base_url: 'https://acme.example/v1',
      data_policy: { logs_prompts: false, trains_on_prompts: false, retention_days: 0 },
    };
    const pricing = { prompt: '0', completion: '0.1' };
    const given = catalogDirectory(
      [textModel('test/given', [{ provider: 'acme', upstream_model: 'm', pricing }])],
      [provider],
    );
    const { out } = await run('catalog', 'publish', given.path);
    given.remove();
    expect(out).toContain('prompt is 0, but the model is not marked as free: set a price, or service_free.');
  });

  it('is shown with each price of a new model, and with credentials that may be missing', async () => {
    const mybox = {
      id: 'mybox',
      name: 'My box',
      wire: 'openai-chat',
      base_url: 'http://127.0.0.1:9/v1',
      credential: 'MYBOX_API_KEY',
      data_policy: { logs_prompts: false, trains_on_prompts: false, retention_days: 0 },
    };
    const model = textModel('test/new', [{ provider: 'mybox', upstream_model: 'm', pricing: prices.first }]);
    const fresh = catalogDirectory([model], [mybox]);
    const { out } = await run('catalog', 'publish', fresh.path);
    fresh.remove();
    expect(out).toMatch(/test\/new .*pricing\.prompt +- +0\.001\b/);
    expect(out).toContain('2 prices and');
    expect(out).toContain('New credentials: MYBOX_API_KEY.');
  });

  it('is refused with the place of a mistake', async () => {
    const wrong = catalogDirectory([offered({ prompt: '-1', completion: '0.1' })]);
    const { code, err } = await run('catalog', 'publish', wrong.path, '--yes');
    wrong.remove();
    expect(code).toBe(1);
    expect(err).toContain('pricing.prompt');
  });

  it('is refused if it needs a variable that functions do not have', async () => {
    const needing = catalogDirectory([offered(prices.first, { upstream_model: 'claude-{A_NEW_FOLDER}' })]);
    const { code, err } = await run('catalog', 'publish', needing.path, '--yes');
    needing.remove();
    expect(code).toBe(1);
    expect(err).toContain('A_NEW_FOLDER');
    expect(err).toContain('--variables-are-set');
  });

  it('is not replaced by a version that does not exist', async () => {
    const { code, err } = await run('catalog', 'rollback', '--to', 'never', '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining('"never"')]);
  });
});

describe('an unusable publication', () => {
  it('leaves the previous catalog in force, is logged, and can be replaced', async () => {
    const last = readdirSync(join(directory, 'catalog')).toSorted().at(-1)!;
    const name = `${String(Number.parseInt(last, 10) + 1).padStart(6, '0')}.jsonl`;
    writeFileSync(join(directory, 'catalog', name), '{"form": 9}\n');
    await sleep(IN_FORCE_MS);

    expect(await sidesOf([await ask(0)])).toEqual(['first']);
    expect(gateway.log()).toContain('published catalog not used');
    await run('catalog', 'publish', catalogs.second.path, '--yes');
    await sleep(IN_FORCE_MS);
    expect(await sidesOf([await ask(0)])).toEqual(['second']);
  });
});

describe('the books after all catalog changes', () => {
  it('are correct: every record proves its price, and counters agree with records', async () => {
    const { code, out } = await run('--json', 'reconcile', '--deep');
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ sound: true })]);
  });
});
