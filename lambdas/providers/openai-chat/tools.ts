import { invalidRequest } from '../../platform/errors.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { refuseUnknown } from '../translated/speakable.ts';

/** Tools and structured answers of a Messages request, in the words of chat completions. */
export function toolFields(request: MessagesRequest): Record<string, unknown> {
  const choice = request.tool_choice;
  if (!request.tools?.length) {
    if (choice?.type !== 'any' && choice?.type !== 'tool') return {};
    throw invalidRequest('tool_choice.type', `"${choice.type}" needs tools to choose from; send tools as well`);
  }
  const fields: Record<string, unknown> = { tools: request.tools.map(functionTool) };
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use) fields['parallel_tool_calls'] = false;
  }
  return fields;
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

function functionTool(tool: Tool, index: number): unknown {
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
  if (tool['strict'] === true && !isStrict(parameters)) {
    throw invalidRequest(
      `${path}.strict`,
      'works on this model where every object of input_schema requires all its properties and has "additionalProperties": false; change the schema, or leave it out',
    );
  }
  const description = withExamples(tool.description ?? '', tool['input_examples']);
  return {
    type: 'function',
    function: {
      name: tool.name,
      ...(description === '' ? {} : { description }),
      parameters,
      ...(tool['strict'] === true ? { strict: true } : {}),
    },
  };
}

/** This wire has no field for examples of a tool's input. */
function withExamples(description: string, examples: unknown): string {
  if (!Array.isArray(examples) || examples.length === 0) return description;
  const lines = examples.map((example) => JSON.stringify(example)).join('\n');
  return `${description}\n\nExamples of input:\n${lines}`.trimStart();
}

/** @param supportedParameters of the model: one without structured answers must not pretend to give them */
export function formatField(request: MessagesRequest, supportedParameters: readonly string[]): Record<string, unknown> {
  const format = outputFormat(request);
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
