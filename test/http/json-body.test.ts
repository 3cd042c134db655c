import { describe, expect, it } from 'vitest';
import { NumberText, readJsonBody } from '../../lambdas/http/json-body.ts';
import { refused } from '../support/refused.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const listOf = (count: number, value: string) => `{"list":[${Array.from({ length: count }, () => value).join(',')}]}`;

describe('an invalid JSON body', () => {
  it('is refused without a quotation, because it may be a prompt', () => {
    const { message, metadata } = refused(() => readJsonBody('{"prompt": "my secret"', {}));

    expect(message).toBe('body: is not valid JSON (line 1, column 23)');
    expect(metadata).toEqual({ field: 'body' });
  });

  it('is refused with line and column', () => {
    const { message } = refused(() =>
      readJsonBody('{\n  "model": "m",\n  "n": 12345678901234567890,\n  my secret}', {}),
    );

    expect(message).toBe('body: is not valid JSON (line 4, column 3)');
  });

  it('is refused with its own message if it is empty', () => {
    expect(refused(() => readJsonBody('', {})).message).toBe('body: is empty; send a JSON object');
  });
});

describe('a JSON body', () => {
  it('may begin with a byte order mark, which alone is an empty body', () => {
    expect(readJsonBody('\ufeff{"price": 0.1}', { exactNumbers: ['price'] })).toEqual({
      price: new NumberText('0.1'),
    });
    expect(refused(() => readJsonBody('\ufeff', {})).message).toContain('is empty');
    expect(refused(() => readJsonBody('\ufeff\ufeff{}', {})).message).toContain('is not valid JSON');
  });

  it.each([
    ['nesting', 128, nested],
    ['values', 10_000, (count: number) => listOf(count - 2, '1')],
    ['fields', 500, (count: number) => JSON.stringify(Object.fromEntries(numbered(count)))],
  ])('is refused with more %s than %i', (_what, most, write) => {
    expect(readJsonBody(write(most), {})).toBeDefined();
    expect(refused(() => readJsonBody(write(most + 1), {})).message).toContain(`${most}`);
  });

  it('is refused with more values than its route allows', () => {
    expect(readJsonBody('[1,2]', { maxValues: 3 })).toEqual([1, 2]);
    expect(refused(() => readJsonBody('[1,2,3]', { maxValues: 3 })).message).toContain('more than 3 values');
  });

  it('is refused with more fields in all objects together than its route allows, however many numbers it may have', () => {
    const rules = { maxValues: 1_000_000, maxFields: 100 };
    const numbers = Array(500_000).fill('1').join(',');
    const inner = (fields: number) =>
      `{"input":[${numbers}],"provider":{${Array(fields - 2)
        .fill('"a":1')
        .join(',')}}}`;

    expect(readJsonBody(inner(100), rules)).toBeDefined();
    expect(refused(() => readJsonBody(inner(101), rules)).message).toContain('more than 100 fields');
  });

  it('is refused with more than 10000 numbers that a float cannot represent', () => {
    const rules = { maxValues: 100_000 };

    expect(readJsonBody(listOf(10_000, '9007199254740993'), rules)).toBeDefined();
    expect(refused(() => readJsonBody(listOf(10_001, '9007199254740993'), rules)).message).toContain('10000 numbers');
  });
});

function numbered(count: number): [string, number][] {
  return Array.from({ length: count }, (_, index) => [`f${index}`, index]);
}

describe('numbers of a JSON body', () => {
  it('are floats by default', () => {
    expect(readJsonBody('{"limit":0.10}', {})).toEqual({ limit: 0.1 });
  });

  it('keep their text in the named fields, at any depth, and nowhere else', () => {
    const body = readJsonBody('{"limit":0.10,"at":{"limit":1e-7},"n":1,"text":"2"}', {
      exactNumbers: ['limit', 'text'],
    });

    expect(body).toEqual({ limit: new NumberText('0.10'), at: { limit: new NumberText('1e-7') }, n: 1, text: '2' });
  });

  it('are exact within the named fields, and floats around them', () => {
    const body = readJsonBody('{"input":{"a":[9007199254740993]},"max":9007199254740993}', { exactWithin: ['input'] });

    expect(JSON.stringify(body)).toBe('{"input":{"a":[9007199254740993]},"max":9007199254740992}');
    expect((body as { max: unknown }).max).toBe(9_007_199_254_740_992);
  });

  it('are floats in the named field itself, so that a schema can check them', () => {
    expect(readJsonBody('{"input":9007199254740993}', { exactWithin: ['input'] })).toEqual({
      input: 9_007_199_254_740_992,
    });
  });
});
