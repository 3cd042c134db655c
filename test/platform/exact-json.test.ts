import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measureJson, parseExactly, readExactly } from '../../lambdas/platform/json/exact-json.ts';

const inexactIn = (text: string) => measureJson(text, Infinity).inexactNumbers;

describe('the measures of JSON', () => {
  it.each([
    ['{"a":[1,{"b":[]}]}', 4],
    ['"[[[["', 0],
    ['["\\"[[", "\\\\"]', 1],
    ['5', 0],
  ])('include the depth of %s', (text, depth) => {
    expect(measureJson(text, 100).depth).toBe(depth);
  });

  it('count at least all values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const count = (inner: unknown): number =>
          typeof inner === 'object' && inner !== null
            ? Object.values(inner).reduce<number>((sum, one) => sum + count(one), 1)
            : 1;
        expect(measureJson(JSON.stringify(value), Infinity).values).toBeGreaterThanOrEqual(count(value));
      }),
    );
  });

  it('stop counting soon after the maximum', () => {
    expect(measureJson(`[${'1,'.repeat(1_000)}1]`, 10).values).toBe(11);
  });

  it.each(['9007199254740993', '1e400', '-1e400', '0.1000000000000000055', '1e-400', '123456789012345678901234567890'])(
    'detect that a double cannot represent %s',
    (literal) => {
      expect(inexactIn(`{"a":[${literal}]}`)).toBe(1);
    },
  );

  it.each([
    '0',
    '-0',
    '1.0',
    '1e3',
    '1E+3',
    '100000000000000000000',
    '9007199254740992',
    '0.30000000000000004',
    '0.10000000000000000000',
    '1.7976931348623157e308',
    '5e-324',
    '12300e-2',
    '"9007199254740993"',
  ])('leave %s to JSON.parse', (literal) => {
    expect(inexactIn(`[${literal}]`)).toBe(0);
  });
});

describe('the exact JSON parser', () => {
  it('writes every number with the digits that were read', () => {
    const number = fc
      .tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,30}$/)), fc.option(fc.integer({ min: -500, max: 500 })))
      .map(([whole, fraction, power]) => {
        return `${whole}${fraction === null ? '' : `.${fraction}`}${power === null ? '' : `e${power}`}`;
      });
    fc.assert(
      fc.property(number, (literal) => {
        const written = JSON.stringify(parseExactly(`[${literal}]`)).slice(1, -1);
        expect(decimal(written)).toEqual(decimal(literal));
      }),
    );
  });

  it('refuses values that cannot be written again', () => {
    expect(() => readExactly('['.repeat(100_000) + ']'.repeat(100_000))).toThrow(SyntaxError);
  });

  it('equals JSON.parse for values that JSON.parse represents', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(readExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});

/** Returns a number as digits without trailing zeros, and a power of ten. */
function decimal(literal: string): { digits: bigint; power: number } {
  const [, whole, fraction = '', exponent = '0'] = /^(-?\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal)!;
  let digits = BigInt(whole + fraction);
  let power = Number(exponent) - fraction.length;
  if (digits === 0n) return { digits, power: 0 };
  while (digits % 10n === 0n) {
    digits /= 10n;
    power += 1;
  }
  return { digits, power };
}
