import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';

const UNREAD = new Set([
  'type',
  'id',
  'tool_use_id',
  'media_type',
  'signature',
  'cache_control',
  'citations',
  'is_error',
]);
const UNREAD_TYPES = new Set<unknown>(['base64', 'url', 'file', 'redacted_thinking']);

const NOT_ASCII = /[\u0080-\uffff]/g;
/** Number of characters of JSON that are escaped and counted in one call. Escaped JSON may be six times as long. */
const JSON_PART = 8_192;

/**
 * Yields the texts that the model reads, without media, and about as much text around each message as chat templates
 * add. Non-ASCII characters in JSON are escaped unless the endpoint has OpenAI's tokenizer, because some providers send
 * JSON to the model that way.
 * @param sentSchema returns the form in which the provider gets a schema
 */
export function* promptTexts(
  request: MessagesRequest,
  tokenizer: Quirks['tokenizer'],
  sentSchema = (schema: unknown) => schema,
): Generator<string> {
  const { system, messages, tools } = request;
  const format = outputFormat(request);
  const isEscaped = tokenizer !== 'o200k';
  if (system !== undefined) {
    yield framing('system');
    yield* contentTexts(system, isEscaped);
  }
  for (const tool of tools ?? []) {
    const { input_schema: schema } = tool;
    yield* jsonTexts(schema === undefined ? tool : { ...tool, input_schema: sentSchema(schema) }, isEscaped);
  }
  if (format?.schema !== undefined) yield* jsonTexts(sentSchema(format.schema), isEscaped);
  for (const { role, content } of messages) {
    yield framing(role);
    yield* contentTexts(content, isEscaped);
  }
}

function framing(role: string): string {
  return `<|${role}|>\n`;
}

/** Yields the texts of content in any order. No schema checks how the content is nested. */
function* contentTexts(content: unknown, isEscaped: boolean): Generator<string> {
  const pending = [content];
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part === 'string') yield part;
    else if (Array.isArray(part)) for (const inner of part) pending.push(inner);
    else if (isRead(part)) {
      for (const [field, value] of Object.entries(part)) {
        if (field === 'input') yield* jsonTexts(value, isEscaped);
        else if (!UNREAD.has(field)) pending.push(value);
      }
    }
  }
}

function isRead(part: unknown): part is Block {
  if (typeof part !== 'object' || part === null) return false;
  const { type } = part as { type?: unknown };
  return !UNREAD_TYPES.has(type);
}

function* jsonTexts(value: unknown, isEscaped: boolean): Generator<string> {
  const json = JSON.stringify(value);
  if (json === undefined) return;
  if (!isEscaped || Buffer.byteLength(json) === json.length) yield json;
  else for (let start = 0; start < json.length; start += JSON_PART) yield escaped(json.slice(start, start + JSON_PART));
}

function escaped(json: string): string {
  return json.replaceAll(NOT_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
