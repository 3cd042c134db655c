import { expect, it } from 'vitest';
import { countedSchema } from '../../lambdas/providers/translated/counted-schema.ts';
import { argumentsSchema } from '../../lambdas/providers/translated/arguments-schema.ts';
import { takenSchema } from '../../lambdas/providers/translated/taken-schema.ts';

it('counts the types that an endpoint needs, because they make a schema many times as long', () => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, {}]));
  const schema = { type: 'object', properties };
  const sent = takenSchema(argumentsSchema(schema), { typed_schemas: true });
  const counted = countedSchema(schema, { typed_schemas: true });
  expect(counted).toEqual(sent);
  expect(JSON.stringify(counted).length).toBeGreaterThan(10 * JSON.stringify(schema).length);
});

it('counts a schema without types for an endpoint that needs none', () => {
  const schema = { type: 'object', properties: { any: {} } };
  expect(countedSchema(schema, {})).toEqual(schema);
});
