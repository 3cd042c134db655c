import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { exampleObject, type JsonSchema } from '../../lib/local/sandbox/example.ts';

const defs = {
  city: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  alias: { $ref: '#/$defs/city' },
  self: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/self' }, { type: 'null' }] } } },
};

it.each<[string, JsonSchema]>([
  ['a reference', { $ref: '#/$defs/city' }],
  ['a reference to a reference', { $ref: '#/$defs/alias' }],
  ['a shape within itself', { $ref: '#/$defs/self' }],
  ['a least number', { type: 'integer', minimum: 50 }],
  ['a largest number', { type: 'number', maximum: 1 }],
  ['a list of references', { type: 'array', items: { $ref: '#/$defs/city' }, minItems: 2 }],
])('structured answers of the sandbox fit %s', (_, value) => {
  const schema = { type: 'object', properties: { value }, required: ['value'], $defs: defs };

  const example = exampleObject(schema, 0);

  expect(new Ajv2020({ strict: false }).validate(schema, example)).toBe(true);
});

it('a recursive schema gives a finite example', () => {
  const again = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, { $ref: '#' }]));
  const example = exampleObject({ type: 'object', properties: again }, 0);

  expect(JSON.stringify(example).length).toBeLessThan(1_000_000);
});
