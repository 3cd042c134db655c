/**
 * Reads an error of any provider: {"error":{…}}, {"error":"text"}, {"message"}, {"detail"}, {"base_resp"}, {"msg"}, a
 * list of these, an error as JSON inside a message (relays), or plain text. Nothing here throws.
 */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { isRecord, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';

/** Content of a provider's error. */
export interface StatedError {
  /** Types, codes, status words and reasons in lower case; numbers as their digits. */
  codes: readonly string[];
  /** Its messages; the first one is for the client. */
  messages: readonly string[];
  /** HTTP status in the error itself. */
  status: number | undefined;
  /** Google's RetryInfo, unparsed. */
  retryDelay: unknown;
  /** Whether the body is a proxy's HTML page: the provider has not read the request. */
  isPage: boolean;
}

const CODE_FIELDS = [
  'type',
  'code',
  'status',
  'reason',
  'status_code',
  'error_code',
  'errorCode',
  'error_type',
  'errorType',
  '__type',
  'httpCode',
  'httpStatus',
  'grpcCode',
] as const;
const MESSAGE_FIELDS = [
  'message',
  'Message',
  'msg',
  'error_msg',
  'error_message',
  'errorMessage',
  'status_msg',
  'error_description',
  'faultstring',
  'detail',
] as const;
const NESTED_FIELDS = [
  'error',
  'errors',
  'detail',
  'details',
  'innererror',
  'base_resp',
  'metadata',
  'raw',
  'response',
  'fault',
  'message',
] as const;

/** More levels than any body or relay has. */
const MAX_STATED_DEPTH = 6;
const MAX_STATED_PARTS = 16;
const MAX_STATED_CHARACTERS = 64 * 1024;
/** A sentence, as opposed to broken JSON, HTML or binary data. */
const PLAIN_WORDS = /^(?![<{[])[^\p{Cc}]{0,500}\p{L}{2}[^\p{Cc}]{0,500}$/u;

/** Messages of relays without information about the error. */
const EMPTY_WORDS = /^(?:provider returned error|upstream (?:request failed|error)|error|success|bad request)[.:]?$/i;

/** @param value parsed JSON: an error, an object with one, or a list of these */
export function statedError(value: unknown): StatedError {
  const reading = new ErrorReading();
  reading.read(value, 0);
  return reading.stated;
}

/** The error in the text of a body. A proxy's HTML page contains no error. */
export function errorInText(text: string): StatedError {
  const words = text.trim();
  const json = parsedOrAbsent(words);
  if (json !== undefined) return statedError(json);
  return { ...statedError(PLAIN_WORDS.test(words) ? words : undefined), isPage: words.startsWith('<') };
}

/** Whether a document is an error although its status is a success. */
export function statesError(document: unknown): boolean {
  const body = recordOrEmpty(Array.isArray(document) ? document[0] : document);
  const { error, success, object, type } = body;
  if (error !== undefined && error !== null && error !== false && error !== '') return true;
  if (success === false || object === 'error' || type === 'error') return true;
  const { status_code: code } = recordOrEmpty(body['base_resp']);
  if (code !== undefined && digitsOf(code) !== '0') return true;
  return ['message', 'Message', 'msg', 'detail', 'error_msg'].some((field) => {
    const words = body[field];
    return textOrAbsent(words) !== undefined || (field === 'detail' && Array.isArray(words));
  });
}

class ErrorReading {
  readonly #codes = new Set<string>();
  readonly #messages = new Set<string>();
  #status: number | undefined;
  #retryDelay: unknown;
  #parts = 0;

  get stated(): StatedError {
    const messages = [...this.#messages];
    const telling = messages.filter((message) => !EMPTY_WORDS.test(message));
    return {
      codes: [...this.#codes],
      messages: telling.length > 0 ? telling : messages,
      status: this.#status,
      retryDelay: this.#retryDelay,
      isPage: false,
    };
  }

  read(value: unknown, depth: number): void {
    if (depth > MAX_STATED_DEPTH || this.#parts >= MAX_STATED_PARTS) return;
    this.#parts += 1;
    if (typeof value === 'string') this.#readText(value, depth);
    else if (Array.isArray(value)) for (const part of value.filter(isRecord)) this.read(part, depth + 1);
    else if (isRecord(value)) this.#readRecord(value, depth);
  }

  #readRecord(record: Record<string, unknown>, depth: number): void {
    for (const field of CODE_FIELDS) this.#readCode(record[field]);
    this.#retryDelay ??= record['retryDelay'];
    // The inner error comes first, then the messages of the envelope.
    const { error } = record;
    if (isRecord(error) || Array.isArray(error)) this.read(error, depth + 1);
    else if (typeof error === 'string') this.#readText(error, depth);
    for (const field of MESSAGE_FIELDS) {
      const words = record[field];
      if (typeof words === 'string') this.#readText(words, depth);
    }
    for (const field of NESTED_FIELDS) {
      const nested = record[field];
      const isText = typeof nested === 'string' && field !== 'raw';
      if (field !== 'error' && nested !== undefined && !isText) this.read(nested, depth + 1);
    }
  }

  /** Reads a text, or the JSON error that a relay has embedded in it. */
  #readText(text: string, depth: number): void {
    const words = text.trim();
    const nested = words.length <= MAX_STATED_CHARACTERS ? jsonWithin(words) : undefined;
    if (isRecord(nested) && statesError(nested)) this.read(nested, depth + 1);
    else if (words !== '') this.#messages.add(words);
  }

  #readCode(value: unknown): void {
    const code = digitsOf(value) ?? textOrAbsent(value)?.toLowerCase();
    if (code === undefined) return;
    // AWS writes a namespace before the name, and a URL behind it.
    this.#codes.add(code.split(':', 1)[0]!.split('#').at(-1)!);
    const number = Number(code);
    if (this.#status === undefined && Number.isInteger(number) && number >= 400 && number < 600) this.#status = number;
  }
}

/** The digits of a whole number, which may also be a text. */
function digitsOf(value: unknown): string | undefined {
  const digits = isRawNumber(value) ? value.rawJSON : String(value);
  const isNumber = typeof value === 'number' || typeof value === 'string' || isRawNumber(value);
  return isNumber && /^\d{1,12}$/.test(digits) ? digits : undefined;
}

function jsonWithin(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  return start === -1 || end < start ? undefined : parsedOrAbsent(text.slice(start, end + 1));
}

function parsedOrAbsent(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
