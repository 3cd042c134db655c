/** Tools of a request as functions, the only kind of tools on other wires. */

import { invalidRequest } from '../../platform/errors.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { readTool, refuseChoiceWithoutTools } from './tools.ts';

export interface FunctionTool {
  name: string;
  /** Undefined without a description: an empty one is not sent. */
  description: string | undefined;
  parameters: Record<string, unknown>;
  /** Whether the client requested strict mode and the schema allows it. */
  strict: boolean;
}

/**
 * The functions of a request; empty without tools.
 * @throws {GatewayError} 400 for a tool that is not a function, and for a forced tool without tools
 */
export function functionTools({ tools, tool_choice: choice }: MessagesRequest): FunctionTool[] {
  if (tools?.length) return tools.map(functionTool);
  refuseChoiceWithoutTools(choice);
  return [];
}

function functionTool(tool: Tool, index: number): FunctionTool {
  const { name, description, schema, isStrict: strict } = readTool(tool, index);
  const parameters = withProperties(schema);
  if (strict && !isStrict(parameters)) {
    throw invalidRequest(
      `tools.${index}.strict`,
      'works on this model where every object of input_schema requires all its properties and has "additionalProperties": false; change the schema, or leave it out',
    );
  }
  return { name, description: description || undefined, parameters, strict };
}

/** OpenAI refuses an object schema without properties. */
function withProperties(schema: Record<string, unknown>): Record<string, unknown> {
  return schema['type'] === 'object' && schema['properties'] === undefined ? { ...schema, properties: {} } : schema;
}

const MAPS_OF_MEMBERS = new Set(['properties', '$defs', 'definitions']);
/**
 * Keywords that OpenAI refuses in a strict schema
 * (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas).
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
  'uniqueItems',
  'minProperties',
  'maxProperties',
];

/**
 * Whether OpenAI accepts `strict` for a schema: every object in it requires all its properties and allows no others,
 * and no keyword is unsupported.
 */
export function isStrict(schema: unknown): boolean {
  return isRecord(schema) && schema['type'] === 'object' && isClosed(schema);
}

/** @param isMap whether the members have names chosen by the client rather than keywords */
function isClosed(schema: unknown, isMap = false): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if (Array.isArray(schema)) return schema.every((one) => isClosed(one));
  if (!isMap && NEVER_STRICT.some((keyword) => keyword in schema)) return false;
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown> & {
    properties?: object;
  };
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    const listed = new Set(Array.isArray(required) ? (required as string[]) : []);
    if (additionalProperties !== false || !names.every((name) => listed.has(name))) return false;
  }
  return Object.entries(schema).every(([name, value]) => isClosed(value, !isMap && MAPS_OF_MEMBERS.has(name)));
}
