import { expect, it } from 'vitest';
import { TermSearch } from '../../lambdas/protection/term-search.ts';

it('finds a shorter term if the longest term overlaps a skipped part', () => {
  const text = 'acme lake 4510 and acme';
  const skipped = [{ start: text.indexOf('lake'), end: text.indexOf(' and') }];
  const found = new TermSearch(['acme', 'acme lake']).find(text, skipped);

  expect(found.map(({ start, term }) => [start, term])).toEqual([
    [0, 'acme'],
    [text.lastIndexOf('acme'), 'acme'],
  ]);
});
