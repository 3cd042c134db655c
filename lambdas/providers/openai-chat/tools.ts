import type { MessagesRequest } from '../../messages/types.ts';
import { answerName, answerSchema } from '../translated/answer-format.ts';
import { functionTools, isStrict, type FunctionTool } from '../translated/function-tools.ts';
import { typedSchema } from '../translated/typed-schema.ts';
import type { ChatTarget } from './target.ts';

export function chatToolFields(request: MessagesRequest, { quirks }: ChatTarget): Record<string, unknown> {
  const tools = functionTools(request);
  if (tools.length === 0) return {};
  const fields: Record<string, unknown> = { tools: tools.map((tool) => functionField(tool, quirks)) };
  const choice = request.tool_choice;
  if (choice) {
    const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
    fields['tool_choice'] =
      choice.type === 'tool' ? { type: 'function', function: { name: choice.name } } : plain[choice.type];
    if (choice.disable_parallel_tool_use && quirks.parallel_tool_calls !== false) fields['parallel_tool_calls'] = false;
  }
  return fields;
}

function functionField(
  { name, description, parameters: declared, strict }: FunctionTool,
  quirks: ChatTarget['quirks'],
): unknown {
  const parameters = quirks.typed_schemas ? typedSchema(declared) : declared;
  return {
    type: 'function',
    function: { name, ...(description ? { description } : {}), parameters, ...(strict ? { strict } : {}) },
  };
}

export function chatFormatField(
  request: MessagesRequest,
  { supportedParameters, quirks }: ChatTarget,
): Record<string, unknown> {
  const asked = answerSchema(request, supportedParameters);
  if (!asked) return {};
  const schema = quirks.typed_schemas ? typedSchema(asked) : asked;
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { ...answerName(request), schema, ...(isStrict(schema) ? { strict: true } : {}) },
    },
  };
}
