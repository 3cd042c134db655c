import { describe, expect, it } from 'vitest';
import { checkRowCount, MAX_ROWS } from '../../lambdas/api/parts/row-limit.ts';

const narrower = { field: 'group_by', says: 'split by less' };

describe('an answer with rows', () => {
  it('has up to 20,000 of them', () => {
    expect(() => checkRowCount(MAX_ROWS, narrower)).not.toThrow();
  });

  it('with more is refused, and says what to ask for instead', () => {
    expect(() => checkRowCount(MAX_ROWS + 1, narrower)).toThrow(/group_by: there are 20001 rows.*split by less/);
  });
});
