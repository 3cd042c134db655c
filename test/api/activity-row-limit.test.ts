import { describe, expect, it } from 'vitest';
import { checkRowCount, MAX_ROWS } from '../../lambdas/api/activity/row-limit.ts';

describe('an answer about activity', () => {
  it('has up to 20,000 rows', () => {
    expect(() => checkRowCount(MAX_ROWS, 30)).not.toThrow();
  });

  it('with more is refused, and says what to ask for instead', () => {
    expect(() => checkRowCount(MAX_ROWS + 1, 30)).toThrow(/20001 rows.*fewer days at a time/);
    expect(() => checkRowCount(MAX_ROWS + 1, 1)).toThrow(/20001 rows.*one workspace, member or key/);
  });
});
