import { describe, expect, it } from 'vitest';
import { table } from '../../lib/shared/output.ts';

const lines = (text: string) => text.trimEnd().split('\n');

describe('a table for people', () => {
  it('has its numbers to the right, and its texts to the left', () => {
    const rows = [
      { name: 'one', cost_rub: '0.0333' },
      { name: 'another', cost_rub: '12' },
      { name: null, cost_rub: null },
    ];

    expect(lines(table(rows))).toEqual([
      'name     cost_rub',
      'one        0.0333',
      'another        12',
      '-               -',
    ]);
  });

  it('fits a terminal of 120 columns: long texts are cut, the longest first, and neither numbers nor ids', () => {
    const row = {
      id: 'gen-01a202b2-f9a4-7871-842e-d6ce2165c5f4',
      name: 'n'.repeat(100),
      model: 'm'.repeat(20),
      cost_rub: '1500.123456789012',
    };

    const [head, body] = lines(table([row], 120)) as [string, string];

    expect(head.length).toBeLessThanOrEqual(120);
    expect(body.length).toBe(120);
    expect(body).toContain(row.id);
    expect(body).toContain(row.model);
    expect(body).toContain(row.cost_rub);
    expect(body).toMatch(/n+…/);
  });

  it('is whole where it goes to a file or to another program', () => {
    const name = 'n'.repeat(200);
    expect(table([{ name }])).toContain(name);
  });

  it('says limits by period without braces', () => {
    expect(lines(table([{ limits_rub: { daily: '5', monthly: '50' }, none: {} }]))[1]).toBe('daily 5, monthly 50  -');
  });

  it('says that there is nothing', () => {
    expect(table([])).toBe('(none)\n');
  });
});
