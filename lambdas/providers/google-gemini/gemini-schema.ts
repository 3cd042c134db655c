/**
 * Converts JSON schemas to Gemini's subset. A constraint without an equivalent moves into the description, which the
 * model reads, or is dropped next to a reference.
 */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { acyclicSchema } from '../translated/acyclic-schema.ts';
import { withConstraints } from '../translated/arguments-schema.ts';

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
/** Keywords that do not restrict the answer. Outside of an `allOf`, they have precedence over those within it. */
const ANNOTATIONS = new Set(['title', 'description', 'default']);
/** Keywords that do not affect the answer, so they are dropped. */
const SILENT = new Set(['$schema', '$comment']);
const FORMATS = new Set(['date-time', 'date', 'time', 'int32', 'int64', 'float', 'double']);

/**
 * Maximum number of items that the arrays of a schema may have together. Gemini rejects schemas whose values of
 * `maxItems` exceed an unknown sum: 960 for texts (https://github.com/googleapis/python-genai/issues/2170), less for
 * objects (https://github.com/linxule/openinterviewer/pull/23). A lower maximum leaves room for both.
 */
const MAX_BOUNDED_ITEMS = 100;

export function geminiSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const accepted = geminiPart(acyclicSchema(schema, { keepsOptional: true }));
  return boundedItems(accepted) > MAX_BOUNDED_ITEMS ? withDescribedBounds(accepted) : accepted;
}

/** Returns the number of items that the arrays with `maxItems` may have together, including arrays within items. */
function boundedItems(part: unknown): number {
  if (!isPart(part)) return 0;
  const inner = Object.values(part).reduce((sum: number, value) => sum + boundedItems(value), 0);
  return typeof part['maxItems'] === 'number' ? part['maxItems'] * (1 + inner) : inner;
}

/** Moves each `maxItems` into the description. */
function withDescribedBounds(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withDescribedBounds);
  if (!isPart(part)) return part;
  const { maxItems } = part;
  const isBound = typeof maxItems === 'number';
  const entries = Object.entries(part).filter(([keyword]) => !isBound || keyword !== 'maxItems');
  const others = Object.fromEntries(entries.map(([keyword, value]) => [keyword, withDescribedBounds(value)]));
  return isBound ? withConstraints(others, { maxItems }) : others;
}

const isPart = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !isRawNumber(value);

function geminiPart(part: unknown): unknown {
  if (!isRecord(part)) return part;
  const schema = withoutAllOf(part);
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
  return withConstraints(accepted, unsupported);
}

/**
 * Merges an `allOf` of one schema into the schema around it. Generators write a reference with a description this way
 * (https://github.com/openclaw/openclaw/pull/111721). The reference becomes a variant, which keeps the description.
 */
function withoutAllOf(schema: Schema): Schema {
  const { allOf, ...rest } = schema;
  const [only, ...others] = Array.isArray(allOf) ? (allOf as unknown[]) : [];
  if (!isRecord(only) || others.length > 0) return schema;
  const inner = '$ref' in only ? { anyOf: [only] } : only;
  const isConflicting = Object.keys(inner).some((keyword) => keyword in rest && !ANNOTATIONS.has(keyword));
  return isConflicting ? schema : withoutAllOf({ ...inner, ...rest });
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
