import { describe, expect, it } from 'vitest';
import { spendingByDay, tagOf } from '../../lib/console/spending-by-day.ts';
import { languages } from '../../lib/console/texts/languages.ts';

const row = (project: string, usage: string) => ({
  date: '2026-11-23',
  model: 'sandbox/claude',
  usage,
  requests: 2,
  tags: { project },
});

describe('the spending of thirty days by tag', () => {
  it('has a row for each value and day, and one for today, which is not split', () => {
    const data = {
      readAtMs: Date.parse('2026-11-24T12:00:00Z'),
      credits: { usage_daily: '0.5' },
      workspaces: [],
      keys: [],
      activity: [row('lake', '0.2'), row('lake', '0.000000000001'), row('', '0.1')],
    } as unknown as Parameters<typeof spendingByDay>[0];

    const rows = spendingByDay(data, 'tag:project', languages.en);
    expect(rows.map(({ date, name, requests, cost }) => [date, name, requests, String(cost)])).toEqual([
      ['2026-11-24', 'not split by tag yet', null, '0.5'],
      ['2026-11-23', 'lake', 4, '0.200000000001'],
      ['2026-11-23', 'no value', 2, '0.1'],
    ]);
  });

  it('has a dimension that names the tag, unlike other dimensions', () => {
    expect([tagOf('tag:project'), tagOf('model')]).toEqual(['project', undefined]);
  });
});
