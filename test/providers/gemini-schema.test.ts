import { describe, expect, it } from 'vitest';
import { geminiSchema } from '../../lambdas/providers/google-gemini/gemini-schema.ts';

describe('a schema for Gemini', () => {
  it.each<[string, object, object]>([
    [
      'enumerates no empty text',
      { type: 'string', enum: ['', 'a'] },
      { type: 'string', description: 'Constraints: {"enum":["","a"]}' },
    ],
    ['enumerates nothing', { type: 'string', enum: [] }, { type: 'string', description: 'Constraints: {"enum":[]}' }],
    ['has a type next to enumerated texts', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    ['has a type next to a constant', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['keeps enumerated numbers', { type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
    [
      'has no format of enumerations',
      { type: 'string', format: 'enum' },
      { type: 'string', description: 'Constraints: {"format":"enum"}' },
    ],
    [
      'requires only properties that it has',
      { type: 'object', properties: { a: {} }, required: ['a', 'b'] },
      { type: 'object', properties: { a: {} }, required: ['a'] },
    ],
    [
      'describes a required property that it does not have',
      { anyOf: [{ required: ['b'] }, { type: 'string' }] },
      { anyOf: [{ description: 'Constraints: {"required":["b"]}' }, { type: 'string' }] },
    ],
    [
      'keeps bounds of arrays with few items',
      { type: 'array', maxItems: 10, items: { type: 'array', items: {}, maxItems: 9 } },
      { type: 'array', maxItems: 10, items: { type: 'array', items: {}, maxItems: 9 } },
    ],
    [
      'describes bounds of arrays with many items together',
      {
        type: 'object',
        properties: {
          maxItems: { type: 'integer' },
          a: { type: 'array', description: 'Names', maxItems: 60, minItems: 1 },
          b: { anyOf: [{ type: 'array', maxItems: 60 }, { type: 'string' }] },
        },
      },
      {
        type: 'object',
        properties: {
          maxItems: { type: 'integer' },
          a: { type: 'array', description: 'Names\nConstraints: {"maxItems":60}', minItems: 1 },
          b: { anyOf: [{ type: 'array', description: 'Constraints: {"maxItems":60}' }, { type: 'string' }] },
        },
      },
    ],
    [
      'describes bounds of arrays within the items of others',
      { type: 'array', maxItems: 20, items: { type: 'array', maxItems: 5 } },
      {
        type: 'array',
        items: { type: 'array', description: 'Constraints: {"maxItems":5}' },
        description: 'Constraints: {"maxItems":20}',
      },
    ],
  ])('%s', (_, schema, expected) => {
    expect(geminiSchema(schema)).toEqual(expected);
  });
});
