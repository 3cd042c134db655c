import { invalidRequest } from '../../platform/errors.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { customTool } from '../translated/custom-tool.ts';
import { refuseForcedWithoutTools, refuseUnstructured } from '../translated/limits.ts';

/** Tools and structured answers of a Messages request, in the words of chat completions. */
export function toolFields(request: MessagesRequest): Record<string, unknown> {
  const choice = request.tool_choice;
  refuseForcedWithoutTools(request);
  if (!request.tools?.length) return {};
  const fields: Record<string, unknown> = { tools: request.tools.map(functionTool) };
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use) fields['parallel_tool_calls'] = false;
  }
  return fields;
}

function functionTool(tool: Tool, index: number): unknown {
  const { name, description, schema, isStrict: wantsStrict } = customTool(tool, `tools.${index}`);
  const parameters = withProperties(schema);
  if (wantsStrict && !isStrict(parameters)) {
    throw invalidRequest(
      `tools.${index}.strict`,
      'works on this model where every object of input_schema requires all its properties and has "additionalProperties": false; change the schema, or leave it out',
    );
  }
  return {
    type: 'function',
    function: {
      name,
      ...(description === '' ? {} : { description }),
      parameters,
      ...(wantsStrict ? { strict: true } : {}),
    },
  };
}

/** @param supportedParameters of the model: one without structured answers must not pretend to give them */
export function formatField(request: MessagesRequest, supportedParameters: readonly string[]): Record<string, unknown> {
  const format = outputFormat(request);
  if (!format) return {};
  refuseUnstructured(supportedParameters);
  const schema = (format.schema ?? {}) as Record<string, unknown>;
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema, ...(isStrict(schema) ? { strict: true } : {}) },
    },
  };
}

/** OpenAI refuses an object schema without properties. */
function withProperties(schema: Record<string, unknown>): Record<string, unknown> {
  return schema['type'] === 'object' && schema['properties'] === undefined ? { ...schema, properties: {} } : schema;
}

/** OpenAI accepts `strict` only where every object requires all its properties and allows no others. */
function isStrict(schema: unknown): boolean {
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
