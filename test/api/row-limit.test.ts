import { describe, expect, it } from 'vitest';
import { checkRowCount, MAX_ROWS } from '../../lambdas/api/parts/row-limit.ts';

const narrower = { field: 'group_by', says: 'split by less' };

describe('an answer with rows', () => {
  it('may have up to 20,000 of them', () => {
    expect(() => checkRowCount(MAX_ROWS, narrower)).not.toThrow();
  });

  it('is refused above that number, with advice for a smaller request', () => {
    expect(() => checkRowCount(MAX_ROWS + 1, narrower)).toThrow(/group_by: there are 20001 rows.*split by less/);
  });
});
