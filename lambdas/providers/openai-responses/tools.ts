import type { MessagesRequest } from '../../messages/types.ts';
import { answerName, answerSchema, usesJsonMode } from '../translated/answer-format.ts';
import { functionTools, isStrict } from '../translated/function-tools.ts';
import { strictForm } from '../translated/strict-form.ts';
import { takenSchema } from '../translated/taken-schema.ts';
import type { ResponsesTarget } from './target.ts';

/** Returns tools and tool choice. The field `strict` is always sent, because the API's default is true. */
export function responsesToolFields(request: MessagesRequest, { quirks }: ResponsesTarget): Record<string, unknown> {
  const tools = functionTools(request, quirks);
  if (tools.length === 0) return {};
  const choice = request.tool_choice;
  const plain = { auto: 'auto', any: 'required', none: 'none' } as const;
  return {
    tools: tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      name,
      ...(description ? { description } : {}),
      parameters,
      strict,
    })),
    ...(choice
      ? { tool_choice: choice.type === 'tool' ? { type: 'function', name: choice.name } : plain[choice.type] }
      : {}),
    ...(choice?.disable_parallel_tool_use && quirks.parallel_tool_calls !== false
      ? { parallel_tool_calls: false }
      : {}),
  };
}

export function responsesFormatField(
  request: MessagesRequest,
  { supportedParameters, quirks }: ResponsesTarget,
): Record<string, unknown> {
  if (usesJsonMode(request, supportedParameters)) return { format: { type: 'json_object' } };
  const requested = answerSchema(request, supportedParameters);
  if (!requested) return {};
  const schema = takenSchema(requested, quirks);
  const strict = isStrict(schema);
  return {
    format: { type: 'json_schema', ...answerName(request), schema: strict ? strictForm(schema) : schema, strict },
  };
}
