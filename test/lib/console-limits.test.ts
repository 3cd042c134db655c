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
        isHeldAtLeast: false,
        left: '49880.5',
        resetsAtMs: Date.parse('2026-12-01T00:00:00Z'),
        runOut: { kind: 'lasts' },
      },
    ]);
  });

  it.each([
    ['is exact while an amount remains', { spend_rub: '60', remaining_rub: '10' }, '30', false],
    ['may be higher if nothing remains', { spend_rub: '60', remaining_rub: '0' }, '40', true],
    ['is unknown if more is spent than the limit', { spend_rub: '160', remaining_rub: '0' }, 'null', false],
  ])('have a held amount that %s', (_, amounts, held, isHeldAtLeast) => {
    const limit = { interval: 'monthly', limit_rub: '100', resets_at: null, ...amounts };
    const credits = { balance: null, held: '90', total_credits: 0, total_usage: '60', limits: [limit] };
    const [row] = limitRowsOf({ ...data, credits } as unknown as Parameters<typeof limitRowsOf>[0]);

    expect([String(row!.held), row!.isHeldAtLeast]).toEqual([held, isHeldAtLeast]);
  });

  it('run out by the mean of the days since the creation', () => {
    const balance = { balance: '60', held: '0', total_credits: '100', total_usage: '40', limits: [] };
    const young = {
      ...data,
      activity: days.slice(-2).map((date) => ({ date, model: 'm', usage: '20', requests: 1, api_key_hash: 'k' })),
      workspaces: [{ id: 'w', name: 'W', budgets: [], created_at: '2026-11-22T09:00:00.000Z' }],
      keys: [
        {
          hash: 'k',
          limit: '100',
          limit_remaining: '60',
          limit_reset: null,
          usage: '40',
          created_at: '2026-11-23T09:00:00Z',
        },
      ],
    };
    const rows = limitRowsOf({ ...young, credits: balance } as unknown as Parameters<typeof limitRowsOf>[0]);

    expect(rows.map(({ owner, runOut }) => [owner, runOut])).toEqual([
      ['key', { kind: 'at', atMs: readAtMs + 3 * 86_400_000 }],
      ['account', { kind: 'at', atMs: readAtMs + 3 * 86_400_000 }],
    ]);
  });

  it('have no estimate on the day of the creation', () => {
    const balance = { balance: '60', held: '0', total_credits: '100', total_usage: '40', limits: [] };
    const rows = limitRowsOf({ ...data, activity: [], credits: balance } as unknown as Parameters<
      typeof limitRowsOf
    >[0]);

    expect(rows[0]!.runOut).toEqual({ kind: 'no_pace' });
  });
});
