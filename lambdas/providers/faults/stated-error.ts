/**
 * Reads an error of any provider: {"error":{…}}, {"error":"text"}, {"message"}, {"detail"}, {"base_resp"}, {"msg"}, a list of one of them,
 * an error as JSON inside a message (relays), or a plain text. Nothing here throws.
 */

import { isRawNumber } from '../../platform/json/exact-json.ts';
import { isRecord, recordOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';

/** An error as its provider states it. */
export interface StatedError {
  /** Types, codes, status words and reasons, in small letters; numbers as their digits. */
  codes: readonly string[];
  /** Its messages; the first is the one for the client. */
  messages: readonly string[];
  /** HTTP status that the error itself names. */
  status: number | undefined;
  /** Google's RetryInfo, as it stands there. */
  retryDelay: unknown;
  /** A page of a proxy stands in its place: the provider has not read the request. */
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

/** Neither a body nor a relay is deeper. */
const MAX_STATED_DEPTH = 6;
const MAX_STATED_PARTS = 16;
const MAX_STATED_CHARACTERS = 64 * 1024;
/** A sentence, and no broken JSON, page or bytes. */
const PLAIN_WORDS = /^(?![<{[])[^\p{Cc}]{0,500}\p{L}{2}[^\p{Cc}]{0,500}$/u;

/** Words of a relay that say nothing of the error. */
const EMPTY_WORDS = /^(?:provider returned error|upstream (?:request failed|error)|error|success|bad request)[.:]?$/i;

/** @param value any value that was read as JSON: an error, an object with one, or a list of one of them */
export function statedError(value: unknown): StatedError {
  const reading = new ErrorReading();
  reading.read(value, 0);
  return reading.stated;
}

/** The error in the text of a body. A page of a proxy in front of the provider states nothing. */
export function errorInText(text: string): StatedError {
  const words = text.trim();
  const json = parsedOrAbsent(words);
  if (json !== undefined) return statedError(json);
  return { ...statedError(PLAIN_WORDS.test(words) ? words : undefined), isPage: words.startsWith('<') };
}

/** Whether a document with the status of a success is an error all the same. */
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
    // The error is inside: the envelope's own words come after it.
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

  /** A text, or the error that a relay has put into it as JSON. */
  #readText(text: string, depth: number): void {
    const words = text.trim();
    const nested = words.length <= MAX_STATED_CHARACTERS ? jsonWithin(words) : undefined;
    if (isRecord(nested) && statesError(nested)) this.read(nested, depth + 1);
    else if (words !== '') this.#messages.add(words);
  }

  #readCode(value: unknown): void {
    const code = digitsOf(value) ?? textOrAbsent(value)?.toLowerCase();
    if (code === undefined) return;
    // AWS writes a namespace before the name, and an address behind it.
    this.#codes.add(code.split(':', 1)[0]!.split('#').at(-1)!);
    const number = Number(code);
    if (this.#status === undefined && Number.isInteger(number) && number >= 400 && number < 600) this.#status = number;
  }
}

/** A whole number, also one that came as a text. */
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
