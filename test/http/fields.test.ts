import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { amount, booleanParameter, integerParameter, textField, timeWithOffset } from '../../lambdas/http/fields.ts';
import { NumberText } from '../../lambdas/http/json-body.ts';
import { shortTextRule } from '../../lambdas/platform/text-rule.ts';

const messageOf = (schema: z.ZodType, value: unknown) => schema.safeParse(value).error?.issues[0]?.message;

describe('a whole number in a query', () => {
  const limit = integerParameter(1, 500);

  it.each([
    ['1', 1],
    ['500', 500],
    ['007', 7],
  ])('is read: %s', (text, value) => {
    expect(limit.parse(text)).toBe(value);
  });

  it.each(['0', '501', '-1', '1.5', '1e2', '', ' 1', 'ten', '9999999999999999'])('is refused: %j', (text) => {
    expect(messageOf(limit, text)).toBe('must be a whole number from 1 to 500');
  });
});

describe('a boolean in a query', () => {
  it('is true or false', () => {
    expect([booleanParameter.parse('true'), booleanParameter.parse('false')]).toEqual([true, false]);
  });

  it.each(['True', '1', '', 'yes'])('is refused: %j', (text) => {
    expect(messageOf(booleanParameter, text)).toBe('must be true or false');
  });
});

describe('a short text', () => {
  const name = textField(shortTextRule(2, 5));

  it('is read without surrounding blanks', () => {
    expect(name.parse('  Адa ')).toBe('Адa');
  });

  it.each([
    'a',
    '   a ',
    'abcdef',
    'a\nb',
    'a\tb',
    'a\u0000b',
    '\ud800ab',
    'a\u202eb',
    'a\u2066b',
    'a\u2028b',
    'a\u200bb',
    'a\ufeffb',
    5,
  ])('is refused: %j', (text) => {
    expect(messageOf(name, text)).toBe('must be a text of 2 to 5 characters on one line, without invisible characters');
  });
});

describe('a short text with joiner characters', () => {
  it.each(['\u{1F468}\u200D\u{1F469}', 'می\u200Cخواهم'])('is accepted: %s', (text) => {
    expect(textField(shortTextRule(1, 20)).parse(text)).toBe(text);
  });
});

describe('an amount in roubles', () => {
  it.each([
    ['a number with its digits', new NumberText('0.100000000001'), '0.100000000001'],
    ['a number with an exponent', new NumberText('1e-7'), '0.0000001'],
    ['a decimal string', '12.50', '12.5'],
    ['the largest', '1000000000000000', '1000000000000000'],
    ['nothing', '0', '0'],
  ])('is %s', (_what, value, rub) => {
    expect(amount.parse(value).toString()).toBe(rub);
  });

  it.each(['-1', '1000000000000000.1', '0.0000000000001', 'five', '1e3', '+5', ' 5', '', 0.1, null, {}])(
    'is not %j',
    (value) => {
      expect(messageOf(amount, value)).toMatch(/^must be a number of roubles from 0 to 10\^15/);
    },
  );

  it('is not a negative number', () => {
    expect(amount.safeParse(new NumberText('-0.1')).success).toBe(false);
  });
});

describe('a timestamp', () => {
  it.each(['2027-01-31T00:00:00Z', '2027-01-31T00:00:00.5+03:00'])('has seconds and an offset: %s', (text) => {
    expect(timeWithOffset.parse(text)).toBe(text);
  });

  it.each(['2027-01-31T00:00Z', '2027-01-31T00:00:00', '2027-01-31', '2027-02-30T00:00:00Z', 'tomorrow'])(
    'is refused: %s',
    (text) => {
      expect(messageOf(timeWithOffset, text)).toMatch(/^must be an ISO 8601 time with seconds/);
    },
  );
});
