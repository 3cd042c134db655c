import { invalidRequest } from '../../platform/errors.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';

/** Tools and structured answers of a Messages request, in the words of chat completions. */
export function toolFields(request: MessagesRequest): Record<string, unknown> {
  if (!request.tools?.length) return {};
  const choice = request.tool_choice;
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
  if (tool.type && tool.type !== 'custom') {
    throw invalidRequest(
      `tools.${index}.type`,
      `"${tool.type}" only works on Anthropic models; describe the tool with name, description and input_schema`,
    );
  }
  const parameters = withProperties(tool.input_schema ?? { type: 'object' });
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description ? { description: tool.description } : {}),
      parameters,
      ...(tool['strict'] === true && isStrict(parameters) ? { strict: true } : {}),
    },
  };
}

/** @param supportedParameters of the model: one without structured answers must not pretend to give them */
export function formatField(request: MessagesRequest, supportedParameters: readonly string[]): Record<string, unknown> {
  // Clients from before output_config send the same object under its older name.
  const older = request['output_format'] as { type: string; schema?: unknown } | undefined;
  const format = request.output_config?.format ?? older;
  if (!format) return {};
  if (!supportedParameters.includes('response_format') && !supportedParameters.includes('structured_outputs')) {
    throw invalidRequest(
      'output_config.format',
      'this model does not give structured answers; ask for JSON in the prompt',
    );
  }
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

/** OpenAI takes `strict` only where every object requires all its properties and allows no others. */
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
