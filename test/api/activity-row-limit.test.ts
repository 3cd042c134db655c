import { describe, expect, it } from 'vitest';
import { checkRowCount, MAX_ROWS } from '../../lambdas/api/activity/row-limit.ts';

describe('an answer about activity', () => {
  it('has up to 20,000 rows', () => {
    expect(() => checkRowCount(MAX_ROWS, undefined)).not.toThrow();
  });

  it('with more is refused, and says what to ask for instead', () => {
    expect(() => checkRowCount(MAX_ROWS + 1, undefined)).toThrow(/20001 rows.*one date at a time/);
    expect(() => checkRowCount(MAX_ROWS + 1, '2026-11-20')).toThrow(/20001 rows.*one workspace, member or key/);
  });
});
