import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Money } from '../../lambdas/money/money.ts';

const pico = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
const money = pico.map((value) => Money.fromPico(value));

describe('Money', () => {
  it('reads back what it writes, to the last digit', () => {
    fc.assert(fc.property(money, (amount) => Money.parse(amount.toString()).equals(amount)));
  });

  it('never writes an exponent', () => {
    fc.assert(fc.property(money, (amount) => /^-?\d+(\.\d*[1-9])?$/.test(amount.toString())));
  });

  it('writes exact JSON numbers, with more digits than a float', () => {
    expect(JSON.stringify({ cost: Money.parse('9007199254740993.000000000001') })).toBe(
      '{"cost":9007199254740993.000000000001}',
    );
    expect(JSON.stringify({ cost: Money.parse('0.0000003') })).toBe('{"cost":0.0000003}');
  });

  it('adds and subtracts without loss, in any order', () => {
    fc.assert(fc.property(money, money, money, (a, b, c) => a.plus(b).plus(c).minus(b).equals(c.plus(a))));
  });

  it('multiplies like repeated addition', () => {
    fc.assert(
      fc.property(money, fc.nat(50), (price, count) =>
        price.times(count).equals(Money.sum(Array.from({ length: count }, () => price))),
      ),
    );
  });

  it('counts the units that fit, and not one more', () => {
    fc.assert(
      fc.property(fc.bigInt(1_000_000n, 10n ** 15n), fc.bigInt(0n, 10n ** 20n), (price, amount) => {
        const unit = Money.fromPico(price);
        const units = BigInt(unit.unitsIn(Money.fromPico(amount)));
        return price * units <= amount && price * (units + 1n) > amount;
      }),
    );
  });

  it.each(['', '1e3', '.5', '1.', '+1', '1,5', 'NaN', '0.0000000000001', ' 1'])('refuses "%s"', (text) => {
    expect(() => Money.parse(text)).toThrow(RangeError);
  });
});
