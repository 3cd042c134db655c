import { describe, expect, it } from 'vitest';
import { sealsOf } from '../../lambdas/search/seals.ts';

const hit = { query: 'чай', title: 'Чай', url: 'https://a.example/', text: 'Tea 🍵', age: null };
const seals = sealsOf('secret', 'account');

describe('a sealed source', () => {
  it('is opened for the account that found it', () => {
    expect(seals.openHit(seals.sealHit(hit))).toEqual({ value: hit });
  });

  it.each([
    ['another account', sealsOf('secret', 'other')],
    ['another deployment', sealsOf('another secret', 'account')],
  ])('is not opened for %s', (_, other) => {
    expect(other.openHit(seals.sealHit(hit))).toBe('altered');
  });

  it('is not opened as another kind', () => {
    expect(seals.openHit(seals.sealCitation({ call: 'srvtoolu_1', result: 0 }))).toBe('altered');
  });

  it('is not opened if a character after its prefix was changed', () => {
    const sealed = seals.sealHit(hit);
    for (let at = 5; at < sealed.length - 1; at += 1) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
      expect(seals.openHit(changed)).toBe('altered');
    }
  });

  it.each(['', 'EpABgw==', undefined, null, 7, {}])('is treated as foreign if it is %j', (value) => {
    expect(seals.openHit(value)).toBe('foreign');
  });
});
