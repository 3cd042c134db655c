import { describe, expect, it } from 'vitest';
import { Money } from '../../../lambdas/money/money.ts';
import { roundLines, toKopecks, vatOf } from '../../../lib/admin/closing-documents/kopecks.ts';
import { randomFrom } from '../../support/random.ts';
import { rub } from '../../support/spending.ts';

describe('an amount in kopecks', () => {
  it.each([
    ['1.234', '1.23'],
    ['1.235', '1.24'],
    ['1.234999999999', '1.23'],
    ['-1.235', '-1.23'],
    ['-1.2351', '-1.24'],
    ['0.005', '0.01'],
    ['-0.005', '0'],
  ])('of %s is %s', (exact, rounded) => {
    expect(String(toKopecks(rub(exact)))).toBe(rounded);
  });
});

describe('the tax of a line', () => {
  it.each([
    ['120', 20n, true, '20'],
    ['100', 20n, false, '20'],
    ['100', 22n, true, '18.03'],
    ['0.03', 20n, true, '0.01'],
    ['0.02', 20n, true, '0'],
    ['1', 5n, true, '0.05'],
    ['-120', 20n, true, '-20'],
  ])('of %s at %i percent, contained: %s, is %s', (amount, percent, isIncluded, vat) => {
    expect(String(vatOf(rub(amount), { percent, isIncluded }))).toBe(vat);
  });
});

describe('the lines of a closing document', () => {
  it('are rounded up if rounding down loses the most', () => {
    const { lines, total, carriedOut } = roundLines([rub('1.004'), rub('1.009'), rub('1.007')], Money.zero);
    expect([lines, total, carriedOut].flat().map(String)).toEqual(['1', '1.01', '1.01', '3.02', '0']);
  });

  it('include the rounding difference of the document before', () => {
    const { lines, carriedOut } = roundLines([rub('1.001')], rub('0.0045'));
    expect([String(lines[0]), String(carriedOut)]).toEqual(['1.01', '-0.0045']);
  });

  it('add up to the total, and all documents to the exact sum except for half a kopeck', () => {
    const random = randomFrom(7);
    let carried = Money.zero;
    let exactSum = Money.zero;
    let paperSum = Money.zero;
    for (let month = 0; month < 2_000; month += 1) {
      const exact = Array.from({ length: Math.floor(random() * 6) }, () =>
        Money.fromPico(BigInt(Math.floor((random() - 0.1) * 1e15)) / (random() < 0.5 ? 1n : 10n ** 9n)),
      );
      const { lines, total, carriedOut } = roundLines(exact, carried);
      expect(Money.sum(lines).equals(total)).toBe(true);
      carried = carriedOut;
      exactSum = exactSum.plus(Money.sum(exact));
      paperSum = paperSum.plus(total);
      expect(exactSum.minus(paperSum).equals(carried)).toBe(true);
      expect(carried.exceeds(rub('0.005')) || rub('-0.005').exceeds(carried)).toBe(false);
    }
  });
});
