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

/** Returns whether the request makes the provider enforce a JSON object. */
export function isInJsonMode(request: MessagesRequest, { supportedParameters, quirks }: ResponsesTarget): boolean {
  return quirks.json_mode !== false && usesJsonMode(request, supportedParameters);
}

export function responsesFormatField(request: MessagesRequest, target: ResponsesTarget): Record<string, unknown> {
  if (isInJsonMode(request, target)) return { format: { type: 'json_object' } };
  const { supportedParameters, quirks } = target;
  const requested = answerSchema(request, supportedParameters);
  if (!requested) return {};
  const schema = takenSchema(requested, quirks);
  const strict = isStrict(schema);
  return {
    format: { type: 'json_schema', ...answerName(request), schema: strict ? strictForm(schema) : schema, strict },
  };
}
