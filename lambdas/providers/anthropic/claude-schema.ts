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
