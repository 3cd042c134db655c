import type { MessagesRequest } from '../../messages/types.ts';
import { answerName, answerSchema } from '../translated/answer-format.ts';
import { functionTools, isStrict, type FunctionTool } from '../translated/function-tools.ts';

/** Tools of a Messages request, in the words of chat completions. */
export function chatToolFields(request: MessagesRequest): Record<string, unknown> {
  const tools = functionTools(request);
  if (tools.length === 0) return {};
  const fields: Record<string, unknown> = { tools: tools.map(functionField) };
  const choice = request.tool_choice;
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use) fields['parallel_tool_calls'] = false;
  }
  return fields;
}

function functionField({ name, description, parameters, strict }: FunctionTool): unknown {
  return {
    type: 'function',
    function: { name, ...(description ? { description } : {}), parameters, ...(strict ? { strict } : {}) },
  };
}

/** The form that an answer must have, in the words of chat completions. */
export function chatFormatField(
  request: MessagesRequest,
  supportedParameters: readonly string[],
): Record<string, unknown> {
  const schema = answerSchema(request, supportedParameters);
  if (!schema) return {};
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { ...answerName(request), schema, ...(isStrict(schema) ? { strict: true } : {}) },
    },
  };
}
