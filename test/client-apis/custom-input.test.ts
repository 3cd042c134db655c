import { expect, it } from 'vitest';
import { customInput } from '../../lambdas/client-apis/custom-tools.ts';

it.each([
  [{ input: '*** Begin Patch' }, '*** Begin Patch'],
  [{ input: 'a', patch: 'b' }, 'a'],
  // Models without custom tools know the argument of such a tool under other names.
  [{ patch: '*** Begin Patch' }, '*** Begin Patch'],
  [{ code: 'await f()' }, 'await f()'],
  [{ code: 'await f()', timeout: 5 }, '{"code":"await f()","timeout":5}'],
  [{ query: 'x' }, '{"query":"x"}'],
  [{ input: { a: 1 } }, '{"input":{"a":1}}'],
  [undefined, '{}'],
])('the arguments %j of a custom tool are the text %s', (written, text) => {
  expect(customInput(written)).toBe(text);
});
