import type { MessagesRequest } from '../../messages/types.ts';
import { answerName, answerSchema } from '../translated/answer-format.ts';
import { functionTools, isStrict, type FunctionTool } from '../translated/function-tools.ts';
import { takenSchema } from '../translated/taken-schema.ts';
import type { ChatTarget } from './target.ts';

export function chatToolFields(request: MessagesRequest, { quirks }: ChatTarget): Record<string, unknown> {
  const tools = functionTools(request, quirks);
  if (tools.length === 0) return {};
  const fields: Record<string, unknown> = { tools: tools.map(functionField) };
  const choice = request.tool_choice;
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use && quirks.parallel_tool_calls !== false) fields['parallel_tool_calls'] = false;
  }
  return fields;
}

function functionField({ name, description, parameters, strict }: FunctionTool): unknown {
  return {
    type: 'function',
    function: { name, ...(description ? { description } : {}), parameters, ...(strict ? { strict } : {}) },
  };
}

export function chatFormatField(
  request: MessagesRequest,
  { supportedParameters, quirks }: ChatTarget,
): Record<string, unknown> {
  const requested = answerSchema(request, supportedParameters);
  if (!requested) return {};
  const schema = takenSchema(requested, quirks);
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { ...answerName(request), schema, ...(isStrict(schema) ? { strict: true } : {}) },
    },
  };
}
