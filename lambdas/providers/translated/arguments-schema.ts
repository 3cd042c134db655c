/**
 * Converts argument schemas to a form that most providers accept: an object at the root, in the current draft of JSON
 * Schema (2020-12). Sources: https://github.com/langchain-ai/langchainjs/issues/9804 (a union at the root),
 * https://github.com/Dokploy/mcp/issues/74 (boolean bounds), https://github.com/anomalyco/opencode/pull/39335 (tuples),
 * https://github.com/ruvnet/ruflo/issues/1294 (lists without items).
 */

import { percentDecoded } from '../../platform/fetch/percent-decoding.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { withOwnDefinitions } from './inline-references.ts';

type ToolSchema = Record<string, unknown>;

const ONE_SCHEMA = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const LISTS_OF_SCHEMAS = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MAPS_OF_SCHEMAS = new Set(['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas']);
/** Keywords that combine several schemas. Some providers reject them at the root of a schema. */
const ROOT_UNIONS = ['anyOf', 'oneOf', 'allOf'] as const;
/** Maximum number of consecutive references that are followed. A longer chain is probably circular. */
const MAX_HOPS = 8;
const UNSUPPORTED_AT_ROOT = [...ROOT_UNIONS, 'enum', 'not'] as const;

/**
 * Makes the root of a schema an object. In place of a union, the root gets the properties of all variants. The
 * description contains all removed keywords as JSON.
 */
export function argumentsSchema(schema: ToolSchema): ToolSchema {
  const current = currentSchema(schema) as ToolSchema;
  const root = resolved(current, current);
  const unsupported = Object.fromEntries(
    UNSUPPORTED_AT_ROOT.flatMap((name) => (name in root ? [[name, root[name]]] : [])),
  );
  if (Object.keys(unsupported).length === 0) return root['type'] === 'object' ? root : { ...root, type: 'object' };
  const { anyOf, oneOf, allOf, enum: _enum, not: _not, ...rest } = root;
  const variants = [anyOf, oneOf, allOf]
    .flatMap((list) => (Array.isArray(list) ? list : []))
    .filter(isRecord)
    .map((one) => resolved(one, current));
  const properties = Object.assign({}, ...variants.map((one) => one['properties'] ?? {}), rest['properties'] ?? {});
  return { ...withConstraints(rest, unsupported), type: 'object', properties };
}

/** Moves keywords that a provider rejects into the description, which the model reads. */
export function withConstraints(schema: ToolSchema, unsupported: ToolSchema): ToolSchema {
  if (Object.keys(unsupported).length === 0) return schema;
  const described = typeof schema['description'] === 'string' ? `${schema['description']}\n` : '';
  return { ...schema, description: `${described}Constraints: ${JSON.stringify(unsupported)}` };
}

/** Replaces a reference at the root of the schema with its definition, which may itself be a reference. */
function resolved(schema: ToolSchema, root: ToolSchema, hops = MAX_HOPS): ToolSchema {
  const { $ref: reference, ...rest } = schema;
  const definition = typeof reference === 'string' ? definitionOf(reference, root) : undefined;
  if (hops === 0 || !definition) return schema;
  return resolved({ ...definition, ...rest }, root, hops - 1);
}

function definitionOf(reference: string, root: ToolSchema): ToolSchema | undefined {
  const [, name] = /^#\/\$defs\/([^/]+)$/.exec(reference) ?? [];
  const { $defs: definitions } = root;
  const definition = name && isRecord(definitions) ? definitions[percentDecoded(name)] : undefined;
  return isRecord(definition) ? definition : undefined;
}

/** Converts a schema to draft 2020-12, as an object: few providers accept `true` and `false` as schemas. */
export function currentSchema(schema: unknown): unknown {
  const current = currentPart(schema);
  return isRecord(current) ? withOwnDefinitions(current) : current;
}

function currentPart(schema: unknown): unknown {
  if (typeof schema === 'boolean') return schema ? {} : { not: {} };
  if (!isRecord(schema)) return schema;
  const current: ToolSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (saysNothing(keyword, value)) continue;
    Object.assign(current, currentWords(keyword, isEmptyObject(keyword, value) ? {} : value, schema));
  }
  const marked = membersMarkedRequired(schema);
  if (marked.length > 0) current['required'] = [...((current['required'] ?? []) as unknown[]), ...marked];
  const isList = current['type'] === 'array' || (Array.isArray(current['type']) && current['type'].includes('array'));
  return isList && !('items' in current) && !('prefixItems' in current) ? { ...current, items: {} } : current;
}

/**
 * Returns whether a keyword has no meaning, and is dropped. Serializers write absent keywords as null, and absent
 * enumerations as an empty list. With `encrypted`, Codex requests arguments that only OpenAI can read
 * (https://github.com/icoretech/codex-pooler/issues/35).
 */
function saysNothing(keyword: string, value: unknown): boolean {
  if (keyword === 'encrypted' && typeof value === 'boolean') return true;
  if (value === null) return keyword !== 'const' && keyword !== 'default';
  return keyword === 'enum' && Array.isArray(value) && value.length === 0;
}

/** Returns whether the value is an empty list in the place of an object: PHP serializes an empty object as `[]`. */
function isEmptyObject(keyword: string, value: unknown): boolean {
  return Array.isArray(value) && value.length === 0 && (MAPS_OF_SCHEMAS.has(keyword) || ONE_SCHEMA.has(keyword));
}

function currentWords(keyword: string, value: unknown, schema: ToolSchema): ToolSchema {
  if (MAPS_OF_SCHEMAS.has(keyword)) return { [keyword]: isRecord(value) ? mapOfCurrent(value) : value };
  if (LISTS_OF_SCHEMAS.has(keyword)) return { [keyword]: Array.isArray(value) ? value.map(currentPart) : value };
  switch (keyword) {
    case 'items':
      if (Array.isArray(value)) return tuple(value, schema['additionalItems']);
      return { items: value === false ? value : currentPart(value) };
    case 'additionalItems':
      return {};
    // OpenAI rejects an identifier with a space (https://github.com/griptape-ai/griptape/issues/2150).
    case '$id':
      return {};
    case 'required':
      return Array.isArray(value) ? { required: value } : {};
    case '$schema':
      return typeof value === 'string' && value.includes('2020-12') ? { $schema: value } : {};
    case 'type':
      return typeWords(value);
    case 'minimum':
      return schema['exclusiveMinimum'] === true ? { exclusiveMinimum: value } : { minimum: value };
    case 'maximum':
      return schema['exclusiveMaximum'] === true ? { exclusiveMaximum: value } : { maximum: value };
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return typeof value === 'boolean' ? {} : { [keyword]: value };
    default:
      return { [keyword]: ONE_SCHEMA.has(keyword) && !isOpenOrClosed(keyword, value) ? currentPart(value) : value };
  }
}

/** Returns whether a boolean only allows or forbids further properties or items. Such a boolean is kept. */
function isOpenOrClosed(keyword: string, value: unknown): boolean {
  return typeof value === 'boolean' && /^(additional|unevaluated)/.test(keyword);
}

/**
 * Converts a list of item schemas. In older drafts, `items` may be a list, and `additionalItems` is the schema of the
 * items after this list.
 */
function tuple(schemas: readonly unknown[], more: unknown): ToolSchema {
  return {
    prefixItems: schemas.map(currentPart),
    ...(more === undefined || more === null ? {} : { items: more === false ? more : currentPart(more) }),
  };
}

/** Converts the schemas of a map. Values that are no schemas, such as the `[]` of PHP, allow everything. */
function mapOfCurrent(schemas: ToolSchema): ToolSchema {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, one]) => [
      name,
      isRecord(one) || typeof one === 'boolean' ? currentPart(one) : {},
    ]),
  );
}

/** Returns the names of properties with `required: true` in their own schema (draft 3) that `required` lacks. */
function membersMarkedRequired({ required, properties }: ToolSchema): string[] {
  const listed = new Set(Array.isArray(required) ? (required as unknown[]) : []);
  return Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, one]) =>
    isRecord(one) && one['required'] === true && !listed.has(name) ? [name] : [],
  );
}

const knownTypes: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);

/** Returns the type in JSON Schema's spelling; nothing for an unknown type. Gemini's own spelling is in capitals. */
function typeWords(written: unknown): ToolSchema {
  const type = Array.isArray(written) ? written.map(lowerCase) : lowerCase(written);
  const isKnown = Array.isArray(type) ? type.every((one) => knownTypes.has(one)) : knownTypes.has(type);
  return isKnown ? { type } : {};
}

function lowerCase(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
