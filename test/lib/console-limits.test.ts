import { describe, expect, it } from 'vitest';
import { limitRowsOf } from '../../lib/console/limit-rows.ts';

const readAtMs = Date.parse('2026-11-24T12:00:00Z');
const days = ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22', '2026-11-23'];
const data = {
  readAtMs,
  days,
  activity: days.map((date) => ({ date, model: 'm', usage: '10', requests: 1, workspace_id: 'w' })),
  workspaces: [],
  members: [],
  keys: [],
  tagBudgets: [],
};

describe('the limits of an account', () => {
  it('include the credit limits of a postpaid account', () => {
    const monthly = {
      interval: 'monthly',
      limit_rub: '50000',
      spend_rub: '100.5',
      remaining_rub: '49880.5',
      resets_at: '2026-12-01T00:00:00.000Z',
    };
    const credits = { balance: null, held: '19', total_credits: 0, total_usage: '100.5', limits: [monthly] };
    const rows = limitRowsOf({ ...data, credits } as unknown as Parameters<typeof limitRowsOf>[0]);

    expect(rows.map((row) => ({ ...row, held: String(row.held) }))).toEqual([
      {
        id: 'account monthly',
        owner: 'account',
        name: '',
        href: undefined,
        interval: 'monthly',
        limit: '50000',
        spent: '100.5',
        held: '19',
        left: '49880.5',
        resetsAtMs: Date.parse('2026-12-01T00:00:00Z'),
        runOut: { kind: 'lasts' },
      },
    ]);
  });
});
