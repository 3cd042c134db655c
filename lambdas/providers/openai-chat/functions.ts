/**
 * Converts chat-completions bodies to GigaChat's form, with `functions` instead of tools, one call per message, and
 * results as JSON objects. https://developers.sber.ru/docs/ru/gigachat/guides/functions/overview
 */

import { append } from '../../platform/append.ts';
import { parseExactly } from '../../platform/json/exact-json.ts';
import { isRecord } from '../../platform/json/foreign-json.ts';

type FunctionMessage = { role: string; content: unknown; [field: string]: unknown };
interface FunctionCall {
  id: string;
  function: { name: string; arguments: string };
}

/** Converts the body of a request. A message of GigaChat has at most one call, so parallel_tool_calls is dropped. */
export function asFunctions(body: Record<string, unknown>): Record<string, unknown> {
  const { tools, tool_choice: choice, parallel_tool_calls: _one, response_format: format, messages, ...rest } = body;
  return {
    ...rest,
    messages: asFunctionMessages(messages as FunctionMessage[]),
    ...(tools
      ? { functions: (tools as { function: object }[]).map(({ function: declared }) => withObjectProperties(declared)) }
      : {}),
    ...(choice
      ? { function_call: typeof choice === 'string' ? choice : (choice as { function: unknown }).function }
      : {}),
    ...(format ? { response_format: { type: 'json_schema', ...schemaOf(format) } } : {}),
  };
}

/**
 * Gives `properties` to every object in the schema of a function, because GigaChat rejects objects without them
 * (https://github.com/ai-forever/gpt2giga, https://github.com/ai-forever/gigachain/issues/253).
 */
function withObjectProperties(declared: object): unknown {
  const written = JSON.stringify(declared, (_name, value: unknown) =>
    isRecord(value) && value['type'] === 'object' ? { properties: {}, ...value } : value,
  );
  return parseExactly(written);
}

function schemaOf(format: unknown): object {
  const { schema, strict } = (format as { json_schema: { schema: unknown; strict?: boolean } }).json_schema;
  return { schema, ...(strict ? { strict } : {}) };
}

/** Splits a message with several calls into one message per call, each followed by the call's result. */
function asFunctionMessages(messages: FunctionMessage[]): FunctionMessage[] {
  const results = new Map<unknown, unknown>();
  const written: FunctionMessage[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    if (!message['tool_calls']) written.push(message);
    else {
      results.clear();
      for (let at = index + 1; messages[at]?.role === 'tool'; at += 1) {
        results.set(messages[at]!['tool_call_id'], messages[at]!.content);
      }
      append(written, callMessages(message, results));
    }
  }
  return written;
}

function callMessages(
  { content, tool_calls: calls }: FunctionMessage,
  results: ReadonlyMap<unknown, unknown>,
): FunctionMessage[] {
  return (calls as FunctionCall[]).flatMap(({ id, function: { name, arguments: text } }, position) => [
    {
      role: 'assistant',
      content: position === 0 ? (content ?? '') : '',
      function_call: { name, arguments: parseExactly(text) },
    },
    ...(results.has(id) ? [{ role: 'function', name, content: asObject(results.get(id) as string) }] : []),
  ]);
}

/** Returns a tool result as a JSON object, in the field `result` if it is not a JSON object. */
function asObject(result: string): string {
  return isObject(result) ? result : JSON.stringify({ result });
}

function isObject(text: string): boolean {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}
