/** Tools of a request as functions, which is all that other wires know. */

import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { refuseUnknown } from './speakable.ts';

export interface FunctionTool {
  name: string;
  /** Undefined where there is none: an empty one is not sent. */
  description: string | undefined;
  parameters: Record<string, unknown>;
  /** The client asked for it, and the schema allows it. */
  strict: boolean;
}

/**
 * The functions of a request; none without tools.
 * @throws {GatewayError} 400 for a tool that is no function, and for a forced one where there is none.
 */
export function functionTools({ tools, tool_choice: choice }: MessagesRequest): FunctionTool[] {
  if (tools?.length) return tools.map(functionTool);
  if (choice?.type !== 'any' && choice?.type !== 'tool') return [];
  throw invalidRequest('tool_choice.type', `"${choice.type}" needs tools to choose from; send tools as well`);
}

/** What a tool may have; caching and streaming of its arguments are hints. */
const toolFieldNames = new Set([
  'type',
  'name',
  'description',
  'input_schema',
  'input_examples',
  'strict',
  'defer_loading',
  'allowed_callers',
  'cache_control',
  'eager_input_streaming',
]);

function functionTool(tool: Tool, index: number): FunctionTool {
  const path = `tools.${index}`;
  if (tool.type && tool.type !== 'custom') {
    throw invalidRequest(
      `${path}.type`,
      `"${tool.type}" only works on Anthropic models; describe the tool with name, description and input_schema`,
    );
  }
  refuseUnknown(tool, toolFieldNames, `${path}.`);
  if (tool['defer_loading'] === true) {
    throw invalidRequest(`${path}.defer_loading`, 'only works on Anthropic models; leave it out, or the tool');
  }
  const parameters = withProperties(tool.input_schema ?? { type: 'object' });
  const strict = tool['strict'] === true;
  if (strict && !isStrict(parameters)) {
    throw invalidRequest(
      `${path}.strict`,
      'works on this model where every object of input_schema requires all its properties and has "additionalProperties": false; change the schema, or leave it out',
    );
  }
  const description = withExamples(tool.description ?? '', tool['input_examples']);
  return { name: tool.name, description: description || undefined, parameters, strict };
}

/** Other wires have no field for examples of a tool's input. */
function withExamples(description: string, examples: unknown): string {
  if (!Array.isArray(examples) || examples.length === 0) return description;
  const lines = examples.map((example) => JSON.stringify(example)).join('\n');
  return `${description}\n\nExamples of input:\n${lines}`.trimStart();
}

/** OpenAI refuses an object schema without properties. */
function withProperties(schema: Record<string, unknown>): Record<string, unknown> {
  return schema['type'] === 'object' && schema['properties'] === undefined ? { ...schema, properties: {} } : schema;
}

/** OpenAI accepts `strict` only where every object requires all its properties and allows no others. */
export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return true;
  if (Array.isArray(schema)) return schema.every(isStrict);
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown> & {
    properties?: object;
  };
  if (type === 'object') {
    const names = Object.keys(properties ?? {});
    const listed = new Set(Array.isArray(required) ? (required as string[]) : []);
    if (additionalProperties !== false || !names.every((name) => listed.has(name))) return false;
  }
  return Object.values(schema).every(isStrict);
}
