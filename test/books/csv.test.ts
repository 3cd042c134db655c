import { describe, expect, it } from 'vitest';
import { guarded } from '../../lambdas/books/csv.ts';

describe('a text in a CSV file', () => {
  it.each(['=1+1', '+1', '-1', '@a', '\ta', '＝1+1', '＋1', '－1', '＠a', ' =1', '\u00A0=1', '\uFEFF=1', '\u200E＝1'])(
    'is escaped if a spreadsheet would read it as a formula: %j',
    (text) => {
      expect(guarded(text)).toBe(`'${text}`);
    },
  );

  it.each(['', 'a', 'a=b', '1-2', 'Анна', ' a'])('is unchanged otherwise: %j', (text) => {
    expect(guarded(text)).toBe(text);
  });
});
