import { describe, expect, it } from 'vitest';
import { isBase64 } from '../../lambdas/platform/base64.ts';

describe('base64', () => {
  it.each([1, 2, 3, 255])('encodes bytes: %s of them', (count) => {
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => 255 - index));

    expect(isBase64(bytes.toString('base64'))).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['words', 'not base64!!'],
    ['a data URL', 'data:image/png;base64,iVBORw0KGgo='],
    ['the alphabet for addresses', 'iVBORw0K_-go'],
    ['lines', 'iVBO\nRw0KGgo='],
    ['no padding', 'iVBORw0KGgo'],
    ['a part of a group', 'iVBOR'],
    ['padding in the middle', 'iVBORw==Rw0K'],
    ['padding alone', '===='],
    ['too much padding', 'iVBORw0KG==='],
    ['padding before a letter', 'iVBORw=a'],
    ['letters that only look alike', 'іVВОRw0К'],
  ])('does not accept %s', (_what, text) => {
    expect(isBase64(text)).toBe(false);
  });

  it('is validated in a text of millions of characters, including a single fault', () => {
    const text = Buffer.alloc(6_000_000, 'bytes of a file').toString('base64');

    expect(isBase64(text)).toBe(true);
    expect(isBase64(`${text.slice(0, -1)}!`)).toBe(false);
  });
});
