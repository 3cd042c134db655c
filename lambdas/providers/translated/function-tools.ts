/** Converts tools to functions, the only kind of tool on wires other than the Messages API. */

import { invalidRequest } from '../../platform/errors.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { innerSchemas } from './strict-form.ts';
import { enforcedSchema, takenSchema, type SchemaQuirks } from './taken-schema.ts';
import { readTool, refuseChoiceWithoutTools } from './tools.ts';

export interface FunctionTool {
  name: string;
  /** Description of the tool; undefined if it is missing or empty. */
  description: string | undefined;
  parameters: Record<string, unknown>;
  /** Whether the tool is sent in strict mode. If true, `parameters` fulfills the rules of strict mode. */
  strict: boolean;
}

/**
 * Returns the functions of a request; empty without tools.
 * @throws {GatewayError} 400 for an unsupported tool, or for a tool choice that needs tools if there are none
 */
export function functionTools({ tools, tool_choice: choice }: MessagesRequest, quirks: SchemaQuirks): FunctionTool[] {
  if (tools?.length) return tools.map((tool, index) => functionTool(tool, index, quirks));
  refuseChoiceWithoutTools(choice);
  return [];
}

function functionTool(tool: Tool, index: number, quirks: SchemaQuirks): FunctionTool {
  const { name, description, schema, isStrict: strict } = readTool(tool, index);
  const parameters = takenSchema(withProperties(schema), quirks);
  if (!strict) return { name, description: description || undefined, parameters, strict };
  if (!isStrict(parameters)) {
    throw invalidRequest(
      `tools.${index}.strict`,
      'works on this model only if every object requires all its properties and has "additionalProperties": false, and every part has a type; change the schema, or leave it out',
    );
  }
  return { name, description: description || undefined, parameters: enforcedSchema(parameters, quirks), strict };
}

/** Adds empty `properties` to an object schema without properties, because OpenAI would reject it. */
function withProperties(schema: Record<string, unknown>): Record<string, unknown> {
  return schema['type'] === 'object' && schema['properties'] === undefined ? { ...schema, properties: {} } : schema;
}

/**
 * Keywords that OpenAI rejects in strict schemas:
 * https://github.com/openai/openai-node/blob/master/src/lib/transform.ts
 */
const NEVER_STRICT = [
  'oneOf',
  'allOf',
  'not',
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'minContains',
  'maxContains',
  'prefixItems',
  'dependencies',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

/** Each part of a strict schema must have at least one of these keywords. */
const SAYING_TYPES = ['type', 'anyOf', '$ref', 'enum', 'const'];

/**
 * Returns whether OpenAI accepts `strict`: objects must require all their properties and allow no others, and every
 * part must have one of SAYING_TYPES, and only supported keywords.
 */
export function isStrict(schema: unknown): boolean {
  return isRecord(schema) && schema['type'] === 'object' && isClosed(schema);
}

/**
 * Returns whether a part of a schema fulfills the rules of strict mode.
 * @param isMap whether the object's keys are names that the client chose, and not keywords of JSON Schema
 */
function isClosed(schema: unknown, isMap = false): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if (Array.isArray(schema)) return schema.every((one) => isClosed(one));
  if (!isMap && !SAYING_TYPES.some((keyword) => keyword in schema)) return false;
  if (!isMap && (NEVER_STRICT.some((keyword) => keyword in schema) || hasForeignPart(schema))) return false;
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown> & {
    properties?: object;
  };
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    const listed = new Set(Array.isArray(required) ? (required as string[]) : []);
    if (additionalProperties !== false || !names.every((name) => listed.has(name))) return false;
  }
  return innerSchemas(schema, isMap).every(([, inner, isInnerMap]) => isClosed(inner, isInnerMap));
}

/**
 * Returns whether a part has a reference or a pattern that OpenAI does not enforce: definitions in other documents, and
 * patterns with lookahead or lookbehind.
 */
function hasForeignPart({ $ref: reference, pattern }: { $ref?: unknown; pattern?: unknown }): boolean {
  const isExternal = typeof reference === 'string' && !reference.startsWith('#');
  return isExternal || (typeof pattern === 'string' && /\(\?<?[=!]/.test(pattern));
}
