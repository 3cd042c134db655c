import { describe, expect, it } from 'vitest';
import { table } from '../../lib/shared/output.ts';

const lines = (text: string) => text.trimEnd().split('\n');

describe('a table of text output', () => {
  it('aligns numbers right and texts left', () => {
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

  it('fits 120 columns by cutting the longest texts, but never numbers or ids', () => {
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

  it('is not cut if stdout is a file or a pipe', () => {
    const name = 'n'.repeat(200);
    expect(table([{ name }])).toContain(name);
  });

  it('shows limits by period without braces', () => {
    expect(lines(table([{ limits_rub: { daily: '5', monthly: '50' }, none: {} }]))[1]).toBe('daily 5, monthly 50  -');
  });

  it('shows "(none)" if it is empty', () => {
    expect(table([])).toBe('(none)\n');
  });
});
