import { marshall, NumberValueImpl, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromAttributes, toAttributes } from '../../lambdas/store/table/attribute-values.ts';

/**
 * Generates names of attributes without `constructor`: the SDK would treat an item with this attribute as an instance
 * of a class.
 */
const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__' && text !== 'constructor');
const { item } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.boolean(),
    fc.maxSafeInteger(),
    fc.constant(null),
    fc.bigInt().map((digits) => NumberValueImpl.from(digits.toString())),
    fc.array(tie('value')),
    tie('item'),
  ),
  item: fc.dictionary(name, fc.oneof(tie('value'), fc.constant(undefined)), { noNullPrototype: true }),
}));

describe('table attributes', () => {
  it('equal those of the SDK', () => {
    fc.assert(
      fc.property(item, (any) => {
        expect(toAttributes(any as object)).toEqual(marshall(any, { removeUndefinedValues: true }));
      }),
    );
  });

  it('are read as the SDK reads them, with the exact digits of numbers', () => {
    fc.assert(
      fc.property(item, (any) => {
        const attributes = toAttributes(any);
        expect(fromAttributes(attributes)).toEqual(unmarshall(attributes, { wrapNumbers: (digits) => digits }));
      }),
    );
  });

  it.each([
    ['a number beyond exact integers', 2 ** 53],
    ['a value that is not a number', Number.NaN],
    ['a date', new Date()],
    ['a function', () => 1],
    ['bytes', new Uint8Array(1)],
    ['a bigint', 1n],
  ])('cannot represent %s', (_, value) => {
    expect(() => toAttributes({ value })).toThrow(TypeError);
  });
});
