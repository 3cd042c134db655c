import { describe, expect, it } from 'vitest';
import { spendingByDay } from '../../lib/console/spending-by-day.ts';
import { languages } from '../../lib/console/texts/languages.ts';

const spent = (id: string, usage: string) => ({
  date: '2026-11-23',
  model: 'm',
  requests: 2,
  usage,
  api_key_hash: id,
  workspace_id: id,
});
const owner = (id: string, usage_daily: string) => ({
  id,
  hash: id,
  name: 'Bot',
  label: `sk-${id}`,
  slug: id,
  usage_daily,
});

describe('the spending of thirty days by key and workspace', () => {
  const data = {
    readAtMs: Date.parse('2026-11-24T12:00:00Z'),
    credits: { usage_daily: '0.3' },
    activity: [spent('a', '0.3'), spent('b', '0.2'), spent('0123456789', '0.1')],
    workspaces: [owner('a', '0.2'), owner('b', '0.1')],
    keys: [owner('a', '0.2'), owner('b', '0.1')],
    isPartial: false,
  } as unknown as Parameters<typeof spendingByDay>[0];
  const rowsOf = (by: 'key' | 'workspace', isPartial = false) =>
    spendingByDay({ ...data, isPartial }, by, languages.en).map(({ name, cost }) => [name, String(cost)]);

  it('has a row for each owner, also if two have the same name', () => {
    expect(rowsOf('key')).toEqual([
      ['Bot (sk-a)', '0.2'],
      ['Bot (sk-b)', '0.1'],
      ['Bot (sk-a)', '0.3'],
      ['Bot (sk-b)', '0.2'],
      ['deleted key 01234567', '0.1'],
    ]);
    expect(rowsOf('workspace').slice(0, 4)).toEqual([
      ['Bot (a)', '0.2'],
      ['Bot (b)', '0.1'],
      ['Bot (a)', '0.3'],
      ['Bot (b)', '0.2'],
    ]);
  });

  it('calls no key deleted while not all keys are loaded', () => {
    expect(rowsOf('key', true).at(-1)).toEqual(['Key 01234567', '0.1']);
  });
});
