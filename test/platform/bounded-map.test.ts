import { expect, it } from 'vitest';
import { BoundedMap } from '../../lambdas/platform/bounded-map.ts';

it('a full map drops the entry that was set least recently', () => {
  const map = new BoundedMap<string, number>(2);

  map.set('a', 1).set('b', 2).set('a', 3).set('c', 4);

  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
});
