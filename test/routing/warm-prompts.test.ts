import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { WarmPrompt } from '../../lambdas/routing/warm-prompt.ts';
import { WarmPrompts } from '../../lambdas/routing/warm-prompts.ts';
import { queryPartition } from '../../lambdas/store/table/query.ts';
import type { Item, Table } from '../../lambdas/store/table/table.ts';
import { readWarmPrompt, writeWarmPrompt } from '../../lambdas/store/statistics/warm-prompts.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { newTable, tableThrough } from '../support/table.ts';
import { eventually } from '../support/eventually.ts';
import { isEndedWithin } from '../support/in-time.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

let nowMs: number;
let proxy: FaultProxy;
let table: Table;
beforeEach(async () => {
  nowMs = NOW;
  proxy = await startFaultProxy(inject('dynamodbEndpoint'));
  table = tableThrough(proxy.endpoint, await newTable());
});
afterEach(() => proxy.stop());

/** Returns another Lambda instance, with the same table and with its own memory. */
const newInstance = () =>
  new WarmPrompts(
    {
      read: (conversation) => readWarmPrompt(table, conversation),
      write: (conversation, prompt) => writeWarmPrompt(table, conversation, prompt),
    },
    () => nowMs,
  );
const prompt = (more: Partial<WarmPrompt> = {}): WarmPrompt => ({
  endpointId: 'acme/model',
  tokens: 20_000,
  outputTokens: 300,
  untilMs: nowMs + 5 * MINUTE_MS,
  ...more,
});

/**
 * Checks that another instance finds this prompt. An instance waits at most a tenth of a second for the table, so the
 * check retries.
 */
const expectKnown = (known: WarmPrompt) => eventually(async () => expect(await newInstance().find('c')).toEqual(known));

const writes = () => proxy.calls.filter(({ action }) => action === 'PutItem').length;

describe('the endpoint with a cached conversation', () => {
  it('is found by the instance of its last turn without a call', async () => {
    const instance = newInstance();
    await instance.note('c', prompt());
    const calls = proxy.calls.length;

    expect(await instance.find('c')).toMatchObject(prompt());
    expect(proxy.calls.length).toBe(calls);
  });

  it('is found by the other instances', async () => {
    await newInstance().note('c', prompt());

    await expectKnown(prompt());
    expect(await newInstance().find('another')).toBeUndefined();
  });

  it('is read by its key, as every function with candidates may', async () => {
    await newInstance().find('c');

    expect(proxy.calls.map(({ action }) => action)).toEqual(['GetItem']);
  });

  it('is not found after the time at which the cache of the provider may have expired', async () => {
    const instance = newInstance();
    await instance.note('c', prompt());
    nowMs += 5 * MINUTE_MS;

    expect([await instance.find('c'), await newInstance().find('c')]).toEqual([undefined, undefined]);
  });

  it('is read again by an instance whose own turn is too old, because other instances may have sent later turns', async () => {
    const first = newInstance();
    await first.note('c', prompt());
    nowMs += 4 * MINUTE_MS;
    const later = prompt({ endpointId: 'other/model' });
    nowMs += MINUTE_MS;

    await eventually(async () => {
      await newInstance().note('c', later);
      expect(await first.find('c')).toEqual(later);
    });
  });

  it('moves with the conversation, at once', async () => {
    const instance = newInstance();
    await instance.note('c', prompt());
    await instance.note('c', prompt({ endpointId: 'other/model', tokens: 5_000 }));

    expect(await newInstance().find('c')).toEqual(prompt({ endpointId: 'other/model', tokens: 5_000 }));
  });

  it('is written once a minute while only the size changes', async () => {
    const instance = newInstance();
    for (let turn = 0; turn < 10; turn += 1) await instance.note('c', prompt({ tokens: 20_000 + turn }));
    expect(writes()).toBe(1);

    nowMs += MINUTE_MS;
    await instance.note('c', prompt({ tokens: 30_000 }));

    expect(writes()).toBe(2);
    await expectKnown(prompt({ tokens: 30_000 }));
  });

  it('keeps the longest prompt and lifetime after a turn of a subagent with a short one', async () => {
    const instance = newInstance();
    const long = prompt({ untilMs: nowMs + 60 * MINUTE_MS });
    await instance.note('c', long);
    await instance.note('c', prompt({ tokens: 2_000 }));

    expect(await instance.find('c')).toMatchObject(long);
  });

  it('is stored without text, and deleted by DynamoDB', async () => {
    await newInstance().note('hash', prompt());

    const items: Item[] = [];
    for await (const item of queryPartition(table, 'WARM#hash')) items.push(item);
    expect(items).toEqual([
      {
        pk: 'WARM#hash',
        sk: 'PROMPT',
        entity: 'warm_prompt',
        endpoint_id: 'acme/model',
        cached_tokens: '20000',
        output_tokens: '300',
        expires_at_seconds: String((NOW + 5 * MINUTE_MS) / 1_000),
      },
    ]);
  });

  it('is kept in memory for some thousand conversations', async () => {
    const asked: string[] = [];
    const forgetful = { read: async (name: string) => void asked.push(name), write: async () => {} };
    const instance = new WarmPrompts(forgetful, () => nowMs);
    for (let index = 0; index <= 4_096; index += 1) await instance.note(`c${index}`, prompt());

    expect([await instance.find('c0'), await instance.find('c1'), asked]).toMatchObject([undefined, prompt(), ['c0']]);
  });
});

describe('a table that refuses or is silent', () => {
  it.each([
    ['refuses', () => (proxy.faultFor = () => 'throttle')],
    ['is silent', () => (proxy.before = () => new Promise(() => {}))],
  ])('fails no request, and delays it by less than 1.5 s, when it %s', async (_how, break_) => {
    break_();
    const instance = newInstance();
    const used = instance.find('c').then(async (found) => {
      await instance.note('c', prompt());
      return found;
    });

    expect(await isEndedWithin(1_500, used)).toBe(true);
    expect(await used).toBeUndefined();
    expect(await instance.find('c')).toMatchObject(prompt());
  });
});
