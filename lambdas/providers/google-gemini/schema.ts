/**
 * Converts JSON schemas to Gemini's subset. A constraint without an equivalent moves into the description, which the
 * model reads, or is dropped next to a reference.
 */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { acyclicSchema } from '../translated/acyclic-schema.ts';

type Schema = Record<string, unknown>;

/** Keywords that Gemini accepts, and whose values contain no schemas. */
const PLAIN = new Set([
  '$id',
  '$anchor',
  'type',
  'title',
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'propertyOrdering',
]);
const SCHEMA_LISTS = new Set(['anyOf', 'oneOf', 'prefixItems']);
const SCHEMA_MAPS = new Set(['properties', '$defs']);
/** Keywords that do not affect the answer, so they are dropped. */
const SILENT = new Set(['$schema', '$comment']);
const FORMATS = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);

export function geminiSchema(schema: unknown): unknown {
  return isRecord(schema) ? geminiPart(acyclicSchema(schema, { keepsOptional: true })) : schema;
}

function geminiPart(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  if (typeof schema['$ref'] === 'string')
    return { $ref: schema['$ref'].replace('#/definitions/', '#/$defs/'), ...definitionsOf(schema) };
  const accepted: Schema = {};
  const unsupported: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (SILENT.has(keyword)) continue;
    const equivalent = translated(keyword, value, schema);
    if (equivalent) Object.assign(accepted, equivalent);
    else unsupported[keyword] = value;
  }
  if (Object.keys(unsupported).length === 0) return accepted;
  const described = typeof accepted['description'] === 'string' ? `${accepted['description']}\n` : '';
  return { ...accepted, description: `${described}Constraints: ${JSON.stringify(unsupported)}` };
}

/** Returns a keyword in Gemini's form; undefined if Gemini has no equivalent. */
function translated(keyword: string, value: unknown, { type, properties }: Schema): Schema | undefined {
  if (PLAIN.has(keyword)) return { [keyword]: value };
  if (SCHEMA_MAPS.has(keyword)) return { [keyword]: mapOf(value) };
  if (SCHEMA_LISTS.has(keyword)) return { [keyword]: schemaList(value) };
  switch (keyword) {
    case 'definitions':
      return { $defs: mapOf(value) };
    case 'additionalProperties':
      return { additionalProperties: geminiPart(value) };
    case 'items':
      return Array.isArray(value) ? { prefixItems: schemaList(value) } : { items: geminiPart(value) };
    case 'enum':
      return Array.isArray(value) && value.length > 0 && value.every(isWord) ? enumeration(value, type) : undefined;
    case 'const':
      return isWord(value) ? enumeration([value], type) : undefined;
    case 'required':
      return requiredNames(value, properties);
    case 'format':
      return typeof value === 'string' && FORMATS.has(value) ? { format: value } : undefined;
    case 'exclusiveMinimum':
      return type === 'integer' && Number.isSafeInteger(value) ? { minimum: (value as number) + 1 } : undefined;
    case 'exclusiveMaximum':
      return type === 'integer' && Number.isSafeInteger(value) ? { maximum: (value as number) - 1 } : undefined;
    default:
      return undefined;
  }
}

/** Returns the schema's definitions. Next to `$ref`, Gemini accepts no other keyword than `$defs`. */
function definitionsOf(schema: Schema): Schema {
  const definitions = schema['$defs'] ?? schema['definitions'];
  return definitions === undefined ? {} : { $defs: mapOf(definitions) };
}

function mapOf(schemas: unknown): unknown {
  if (!isRecord(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, geminiPart(schema)]));
}

function schemaList(schemas: unknown): unknown {
  return Array.isArray(schemas) ? schemas.map(geminiPart) : schemas;
}

/**
 * Returns an enumeration in Gemini's form. Gemini accepts an enumeration of strings only with a type
 * (https://github.com/decolua/9router/issues/359).
 */
function enumeration(values: unknown[], type: unknown): Schema {
  const needsType = type === undefined && values.every((value) => typeof value === 'string');
  return { enum: values, ...(needsType ? { type: 'string' } : {}) };
}

/** Returns the required names that have a property. Gemini rejects other names. */
function requiredNames(names: unknown, properties: unknown): Schema | undefined {
  if (!Array.isArray(names)) return undefined;
  const known = names.filter(
    (name) => isRecord(properties) && typeof name === 'string' && Object.hasOwn(properties, name),
  );
  return known.length > 0 || names.length === 0 ? { required: known } : undefined;
}

/**
 * Returns whether Gemini accepts a value in an enumeration: a number, or a string that is not empty
 * (https://github.com/Bobsilvio/ha-claude/pull/32).
 */
function isWord(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number' || isRawNumber(value);
}
