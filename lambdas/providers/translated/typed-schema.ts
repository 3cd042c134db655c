/**
 * Converts schemas to the form that Moonshot and Fireworks require: every subschema has a type, unless it has `anyOf`,
 * `allOf` or `$ref`. They reject requests with other schemas (https://github.com/MoonshotAI/kimi-code/issues/2661,
 * https://github.com/duolahypercho/codex-router/issues/641, https://github.com/BerriAI/litellm/issues/28149).
 */

import { isRecord } from '../../platform/json/foreign-json.ts';
import { plainReference } from './strict-form.ts';

type PartSchema = Record<string, unknown>;

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const LISTS = new Set(['prefixItems', 'items']);

export function typedSchema(schema: PartSchema): PartSchema {
  const typed = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, typedMember(name, value, schema['type'])]),
  );
  if ('$ref' in typed) return plainReference(typed);
  const { oneOf, anyOf = oneOf, type, ...rest } = typed;
  if (!Array.isArray(anyOf)) return 'allOf' in typed || type !== undefined ? typed : { ...typed, ...typeOf(typed) };
  return { ...rest, anyOf: variants(anyOf, type) };
}

/** @param outer type of the schema that has the member */
function typedMember(name: string, value: unknown, outer: unknown): unknown {
  if (MAPS.has(name) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isRecord(one) ? typedSchema(one) : one]));
  }
  if (name === 'allOf' && Array.isArray(value)) return variants(value, outer);
  if (LISTS.has(name) && Array.isArray(value)) return variants(value, undefined);
  if (name === 'items' || name === 'additionalProperties') return isRecord(value) ? typedSchema(value) : value;
  // Variants of `anyOf` or `oneOf` are converted later, because they replace the type.
  return value;
}

function variants(schemas: unknown[], outer: unknown): unknown[] {
  return schemas.map((one) => (isRecord(one) ? variant(one, outer) : one));
}

/** Converts a variant of a union. A variant without a type gets the type of the schema that contains the union. */
function variant(schema: PartSchema, outer: unknown): PartSchema {
  const isTyped = ['type', '$ref', 'anyOf', 'oneOf', 'allOf'].some((name) => name in schema);
  return typedSchema(isTyped || outer === undefined ? schema : { type: outer, ...schema });
}

/** Returns the type that the other keywords of a schema imply; a union of all types if they imply none. */
function typeOf(schema: PartSchema): PartSchema {
  const { enum: values, const: value = Array.isArray(values) ? (values as unknown[])[0] : undefined } = schema;
  if (value === null) return { type: 'null' };
  if (['string', 'number', 'boolean'].includes(typeof value)) return { type: typeof value };
  const type = Object.keys(impliedTypes).find((one) => impliedTypes[one]!.some((name) => name in schema));
  return type ? { type } : anyValue;
}

/** Keywords that imply a type. */
const impliedTypes: Record<string, string[]> = {
  object: ['properties', 'additionalProperties', 'required'],
  array: ['items', 'prefixItems'],
  number: ['minimum', 'maximum', 'multipleOf'],
  string: ['pattern', 'format', 'minLength', 'maxLength'],
};
/** Types at Fireworks: https://docs.fireworks.ai/structured-responses/structured-response-formatting */
const plainTypes = ['string', 'number', 'boolean', 'null', 'object'].map((type) => ({ type }));
/** Schema of any value. A list has items of its own, because the providers require their type. */
const anyValue = { anyOf: [...plainTypes, { type: 'array', items: { anyOf: plainTypes } }] };
