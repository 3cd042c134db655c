import type { Quirks } from '../../catalog/quirk-schemas.ts';
import { outputFormat } from '../../messages/output-format.ts';
import type { Block, MessagesRequest } from '../../messages/types.ts';

/** Fields that the model does not read: labels of the wire, encrypted thinking, settings of caches and citations. */
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
/** Base64 sources, and sources that only the provider fetches. Their tokens are counted separately, if at all. */
const UNREAD_TYPES = new Set<unknown>(['base64', 'url', 'file', 'redacted_thinking']);

const NOT_ASCII = /[\u0080-\uffff]/g;
/** JSON with escapes is six times as long, so it is made and counted in parts of this many characters. */
const JSON_PART = 8_192;

/**
 * The texts of a request that the model reads, one after another, without media: system, messages, tools, the schema of
 * the answer, and about as much around each message as chat templates add. JSON has escapes for all non-ASCII
 * characters, as some providers write it into their prompt, unless the provider counts as OpenAI does.
 * @param tokenizer the endpoint's quirk
 */
export function* promptTexts(request: MessagesRequest, tokenizer: Quirks['tokenizer']): Generator<string> {
  const { system, messages, tools } = request;
  const format = outputFormat(request);
  const isEscaped = tokenizer === undefined;
  if (system !== undefined) {
    yield framing('system');
    yield* contentTexts(system, isEscaped);
  }
  for (const tool of tools ?? []) yield* jsonTexts(tool, isEscaped);
  if (format?.schema !== undefined) yield* jsonTexts(format.schema, isEscaped);
  for (const { role, content } of messages) {
    yield framing(role);
    yield* contentTexts(content, isEscaped);
  }
}

/** About four tokens, as in the known templates. */
function framing(role: string): string {
  return `<|${role}|>\n`;
}

/** Content may be nested in ways that no schema checks. Neither order nor depth matters here. */
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
