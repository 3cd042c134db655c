/**
 * Converts JSON schemas to the subset that Claude enforces, for output_config.format and for tools with `strict`.
 * Unsupported constraints move into the description, which the model reads. The subset is that of Anthropic's SDK
 * (https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations).
 */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import { withConstraints } from '../translated/arguments-schema.ts';
import { ENFORCED_FORMATS, MAPS_OF_MEMBERS } from '../translated/strict-form.ts';

type ClaudeSchema = Record<string, unknown>;

const SUPPORTED_FORMATS = new Set([...ENFORCED_FORMATS, 'uri']);
/**
 * Keywords that are dropped. The gateway sends additionalProperties as false, as Claude requires. The others constrain
 * nothing.
 */
const IGNORED_KEYWORDS = new Set(['$schema', '$comment', '$id', 'additionalProperties']);
const SUPPORTED_KEYWORDS = new Set(['type', 'title', 'description', 'required', 'default']);

/** Matches names of arguments that Claude accepts. Claude checks only the names at the root of a schema. */
const ARGUMENT_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/**
 * Moves arguments whose names Claude refuses ("filter[id]", "город") into the description, which the model reads. A
 * refused name fails the whole request (https://github.com/decocms/studio/pull/6874).
 * @returns the same schema if all names are accepted
 */
export function withAcceptedNames(schema: ClaudeSchema): ClaudeSchema {
  const { properties, required, additionalProperties, ...rest } = schema;
  if (!isRecord(properties)) return schema;
  const [accepted, refused] = partition(Object.entries(properties), ([name]) => ARGUMENT_NAME.test(name));
  if (refused.length === 0) return schema;
  const [kept, moved] = partition(
    Array.isArray(required) ? required : [],
    (name) => !refused.some(([one]) => one === name),
  );
  const closed = additionalProperties === false || additionalProperties === undefined;
  return {
    ...withConstraints(rest, {
      properties: Object.fromEntries(refused),
      ...(moved.length > 0 ? { required: moved } : {}),
    }),
    properties: Object.fromEntries(accepted),
    ...(kept.length > 0 ? { required: kept } : {}),
    ...(closed ? {} : { additionalProperties }),
  };
}

function partition<Item>(items: Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** Converts the schema of an answer, or of a strict tool's arguments, to the subset that Claude enforces. */
export function strictSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const supported: ClaudeSchema = {};
  const unsupported: ClaudeSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (IGNORED_KEYWORDS.has(keyword)) continue;
    const equivalent = supportedKeywords(keyword, value);
    if (equivalent) Object.assign(supported, equivalent);
    else unsupported[keyword] = value;
  }
  const isObject = supported['type'] === 'object' || supported['properties'] !== undefined;
  return { ...withConstraints(supported, unsupported), ...(isObject ? { additionalProperties: false } : {}) };
}

function supportedKeywords(keyword: string, value: unknown): ClaudeSchema | undefined {
  if (SUPPORTED_KEYWORDS.has(keyword)) return { [keyword]: value };
  if (MAPS_OF_MEMBERS.has(keyword)) return { [keyword]: strictSchemas(value) };
  switch (keyword) {
    case '$ref':
      return typeof value === 'string' && value.startsWith('#') ? { $ref: value } : undefined;
    case 'anyOf':
    case 'allOf':
      return Array.isArray(value) ? { [keyword]: value.map(strictSchema) } : undefined;
    case 'oneOf':
      return Array.isArray(value) ? { anyOf: value.map(strictSchema) } : undefined;
    case 'items':
      return isRecord(value) ? { items: strictSchema(value) } : undefined;
    case 'enum':
      return Array.isArray(value) && value.length > 0 && value.every(isPlain) ? { enum: value } : undefined;
    case 'const':
      return isPlain(value) ? { const: value } : undefined;
    case 'format':
      return SUPPORTED_FORMATS.has(value) ? { format: value } : undefined;
    case 'minItems':
      return value === 0 || value === 1 ? { minItems: value } : undefined;
    default:
      return undefined;
  }
}

function strictSchemas(schemas: unknown): unknown {
  if (!isRecord(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, strictSchema(schema)]));
}

function isPlain(value: unknown): boolean {
  return value === null || typeof value !== 'object' || isRawNumber(value);
}
