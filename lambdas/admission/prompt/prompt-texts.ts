import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';

/** Fields that the model does not read, such as ids, types, signatures of thinking, and settings of caches. */
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
/**
 * Types of sources and blocks that are not texts: Base64 data, sources that the provider fetches, and encrypted
 * thinking. Their tokens are counted separately, if at all.
 */
const UNREAD_TYPES = new Set<unknown>(['base64', 'url', 'file', 'redacted_thinking']);

const NOT_ASCII = /[\u0080-\uffff]/g;
/** Number of characters of JSON that are escaped and counted in one call. Escaped JSON may be six times as long. */
const JSON_PART = 8_192;

/**
 * Yields the texts of a request that the model reads, without media: system prompt, messages, tools and the schema of
 * the answer. Around each message it adds about as much text as chat templates do. Non-ASCII characters in JSON are
 * escaped, because some providers write JSON that way into the prompt. They are not escaped for endpoints with OpenAI's
 * tokenizer.
 * @param tokenizer tokenizer of the endpoint by the catalog
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

/** Returns text of about four tokens, as known chat templates add around each message. */
function framing(role: string): string {
  return `<|${role}|>\n`;
}

/**
 * Yields the texts of content. Content may be nested in ways that no schema checks. The order and depth of the texts do
 * not matter for a count.
 */
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
