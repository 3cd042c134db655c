/**
 * Gives one type to every subschema, unless it has `anyOf`, `allOf` or `$ref`, as Moonshot and Fireworks require.
 * Sources: https://github.com/MoonshotAI/kimi-code/issues/2661,
 * https://github.com/duolahypercho/codex-router/issues/641, https://github.com/BerriAI/litellm/issues/28149, and the
 * rules of Moonshot's own validator in https://github.com/MoonshotAI/walle
 */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { argumentsSchema } from './arguments-schema.ts';
import { plainReference } from './strict-form.ts';

type PartSchema = Record<string, unknown>;

const MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
const combining = ['$ref', 'anyOf', 'oneOf', 'allOf'];

export function typedSchema(schema: PartSchema): PartSchema {
  // Moonshot rejects keywords that both a schema and the variants of its union have.
  const isConflict = isRecord(schema['properties']) && ('anyOf' in schema || 'oneOf' in schema);
  return typedPart(withRequiredProperties(isConflict ? argumentsSchema(schema) : schema));
}

/** Converts a schema, or one of several schemas that all have to hold. */
function typedPart(part: PartSchema): PartSchema {
  const schema = ofOneType(part);
  const typed = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, typedMember(name, value, schema['type'])]),
  );
  if ('$ref' in typed) return plainReference(typed);
  const { oneOf, anyOf = oneOf, type, ...rest } = typed;
  if (!Array.isArray(anyOf)) return 'allOf' in typed || type !== undefined ? typed : { ...typed, ...typeOf(typed) };
  return { ...rest, anyOf: variants(anyOf, type) };
}

/**
 * Gives types to the subschemas in a member of a schema.
 * @param outer type of the schema that has the member
 */
function typedMember(name: string, value: unknown, outer: unknown): unknown {
  if (MAPS.has(name) && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, isRecord(one) ? typedSchema(one) : one]));
  }
  if (name === 'allOf' && Array.isArray(value)) return variants(value, outer, typedPart);
  if (name === 'prefixItems' && Array.isArray(value)) return variants(value, undefined);
  if (name === 'items') return typedSchema(isRecord(value) ? value : {});
  if (name === 'additionalProperties') return isRecord(value) ? typedSchema(value) : value;
  // Variants of `anyOf` or `oneOf` are converted later, because they replace the type.
  return value;
}

function variants(schemas: unknown[], outer: unknown, convert = typedSchema): unknown[] {
  return schemas.map((one) => (isRecord(one) ? convert(variant(one, outer)) : one));
}

/**
 * Returns a schema of several types as a union of one variant for each type. Moonshot accepts no other keywords next to
 * a list of types, and no value in `enum` that does not have the type.
 */
function ofOneType(schema: PartSchema): PartSchema {
  const { type, enum: values } = schema;
  const hasValues = Array.isArray(values);
  if (combining.some((name) => name in schema) || !(hasValues || Array.isArray(type))) return schema;
  const types = [...new Set(type === undefined && hasValues ? values.map(typeName) : [type].flat())];
  if (types.length === 1) return ofType(schema, types[0]);
  const { description, ...rest } = schema;
  return { ...(description ? { description } : {}), anyOf: types.map((one) => ofType(rest, one)) };
}

/** Returns a schema with a single type, without keywords and values of other types. */
function ofType({ enum: values, ...schema }: PartSchema, type: unknown): PartSchema {
  const kind = type === 'integer' ? 'number' : type;
  const own = Object.entries(schema).filter(([name]) => (keywordTypes[name] ?? kind) === kind);
  const fitting = Array.isArray(values) ? values.filter((value) => typeName(value) === kind) : [];
  return { ...Object.fromEntries(own), type, ...(fitting.length > 0 ? { enum: fitting } : {}) };
}

function typeName(value: unknown): string {
  return value === null ? 'null' : isRawNumber(value) ? 'number' : typeof value;
}

/** Returns a schema with a property for each required name, because Moonshot rejects names without a property. */
function withRequiredProperties(schema: PartSchema): PartSchema {
  const { required, properties = {} } = schema;
  if (!Array.isArray(required) || !isRecord(properties)) return schema;
  const withoutProperty = required.filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
  return { ...schema, properties: { ...properties, ...Object.fromEntries(withoutProperty.map((name) => [name, {}])) } };
}

/** Returns a member of `anyOf`, `oneOf`, `allOf` or a list of items. Without a type, it gets the type `outer`, if any. */
function variant(schema: PartSchema, outer: unknown): PartSchema {
  const isTyped = ['type', ...combining].some((name) => name in schema);
  return isTyped || outer === undefined ? schema : { type: outer, ...schema };
}

/** Returns the type that the other keywords of a schema imply; a union of all types if they imply none. */
function typeOf(schema: PartSchema): PartSchema {
  const value = typeName(schema['const']);
  if (['null', 'string', 'number', 'boolean'].includes(value)) return { type: value };
  const keyword = Object.keys(keywordTypes).find((name) => name in schema);
  return keyword ? { type: keywordTypes[keyword] } : anyValue;
}

/** Types of the values that a keyword concerns. */
const keywordTypes: Record<string, string> = {
  properties: 'object',
  patternProperties: 'object',
  additionalProperties: 'object',
  required: 'object',
  items: 'array',
  prefixItems: 'array',
  minimum: 'number',
  maximum: 'number',
  multipleOf: 'number',
  pattern: 'string',
  format: 'string',
  minLength: 'string',
  maxLength: 'string',
};
/**
 * Types of values other than lists at Fireworks:
 * https://docs.fireworks.ai/structured-responses/structured-response-formatting
 */
const plainTypes = ['string', 'number', 'boolean', 'null', 'object'].map((type) => ({ type }));
/** Schema of any value. The variant for lists has its own items, because the providers require their type. */
const anyValue = { anyOf: [...plainTypes, { type: 'array', items: { anyOf: plainTypes } }] };
