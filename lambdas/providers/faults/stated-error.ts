/** Reads the error of any provider, whatever its form. No function in this file throws. */

import { isRecord, listOrEmpty, textOrAbsent } from '../../platform/json/foreign-json.ts';
import { codeDigits, statesError } from './error-detection.ts';

export interface StatedError {
  /** Types, codes, status words and reasons, in lower case. A numeric code is written as its digits. */
  codes: readonly string[];
  /** Error messages. */
  messages: readonly string[];
  /** HTTP status in the error body; undefined if there is none. */
  status: number | undefined;
  /** Requested wait in the error body, not parsed: for example seconds, a duration such as `500ms`, or a date. */
  retryDelay: unknown;
  /** Headers of the original response in a relay's error body, with lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Whether the body begins with `<`, as HTML pages do, which usually come from proxies. */
  isPage: boolean;
}

const CODE_FIELDS = [
  'type',
  'code',
  'status',
  'reason',
  'status_code',
  'error_code',
  'err_code',
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
  'err_msg',
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

/** Fields with a wait (in seconds, or a duration such as `34s`) or with its end. */
const WAIT_FIELDS = [
  'retryDelay',
  'retry_after',
  'retryAfter',
  'retry-after',
  'retry_after_seconds',
  'retryAfterSeconds',
  'resets_in_seconds',
  'resets_at',
  'estimated_time',
] as const;
const WAIT_FIELDS_IN_MS = ['retry_after_ms', 'retryAfterMs', 'retry-after-ms'] as const;

const MAX_STATED_DEPTH = 6;
const MAX_STATED_PARTS = 16;
const MAX_RELAYED_HEADERS = 32;
const MAX_STATED_CHARACTERS = 64 * 1024;
/** Matches a readable sentence, but not broken JSON, HTML or binary data. */
const PLAIN_WORDS = /^(?![<{[])[^\p{Cc}]{0,500}\p{L}{2}[^\p{Cc}]{0,500}$/u;

/** Matches messages of relays without information about the error. A message may be a JSON string, in quotes. */
const EMPTY_WORDS =
  /^"?(?:error from provider(?: \([\w .-]{1,60}\))?: )?(?:provider returned error|upstream (?:request failed|error)|error|success|bad request|request contains an invalid argument)[.:]?"?$/i;

/**
 * Matches a code at the beginning or the end of an error message. Z.ai and MiniMax write it there in errors of their
 * Messages APIs: `[1302][Rate limit reached]` (https://docs.z.ai/api-reference/api-code), `output new_sensitive (1027)`
 * (https://github.com/NousResearch/hermes-agent/pull/41110).
 */
const CODE_IN_TEXT = /^\[\d{4}\]|\(\d{4}\)$/;

/** Returns whether an error message contains any information about the error. */
export function isInformative(message: string): boolean {
  return !EMPTY_WORDS.test(message);
}

/**
 * Reads an error in a response body as text, or in parsed JSON. For a text that begins with `<`, only `isPage` is set.
 */
export function statedError(value: unknown): StatedError {
  const reading = new ErrorReading();
  if (typeof value !== 'string') {
    reading.read(value, 0);
    return reading.stated;
  }
  const text = value.trim();
  const json = parsedOrAbsent(text);
  reading.read(json === undefined && PLAIN_WORDS.test(text) ? text : json, 0);
  return { ...reading.stated, isPage: text.startsWith('<') };
}

class ErrorReading {
  readonly #codes = new Set<string>();
  readonly #messages = new Set<string>();
  #status: number | undefined;
  #retryDelay: unknown;
  readonly #headers: Record<string, string> = {};
  #parts = 0;

  get stated(): StatedError {
    const messages = [...this.#messages];
    const informative = messages.filter(isInformative);
    return {
      codes: [...this.#codes],
      messages: informative.length > 0 ? informative : messages,
      status: this.#status,
      retryDelay: this.#retryDelay,
      headers: this.#headers,
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
    this.#retryDelay ??= statedWait(record);
    this.#readHeaders(record['headers']);
    // The inner error is read before the envelope's fields, so that the client gets the inner message.
    const { error } = record;
    if (isRecord(error) || Array.isArray(error)) this.read(error, depth + 1);
    else if (typeof error === 'string') this.#readText(error, depth);
    for (const field of MESSAGE_FIELDS) {
      const value = record[field];
      if (typeof value === 'string') this.#readText(withPlace(value, record), depth);
    }
    for (const field of NESTED_FIELDS) {
      const nested = record[field];
      const isText = typeof nested === 'string' && field !== 'raw';
      if (field !== 'error' && nested !== undefined && !isText) this.read(nested, depth + 1);
    }
  }

  /** Reads a message. If the message contains an error as JSON, as from relays, reads that error instead. */
  #readText(text: string, depth: number): void {
    const trimmed = text.trim();
    this.#readCode(CODE_IN_TEXT.exec(trimmed)?.[0].slice(1, 5));
    const nested = trimmed.length <= MAX_STATED_CHARACTERS ? jsonWithin(trimmed) : undefined;
    if (isRecord(nested) && statesError(nested)) this.read(nested, depth + 1);
    else if (trimmed !== '') this.#messages.add(trimmed);
  }

  #readHeaders(value: unknown): void {
    if (!isRecord(value)) return;
    for (const [name, text] of Object.entries(value).slice(0, MAX_RELAYED_HEADERS)) {
      if (typeof text === 'string' || typeof text === 'number') this.#headers[name.toLowerCase()] ??= String(text);
    }
  }

  #readCode(value: unknown): void {
    const code = codeDigits(value) ?? textOrAbsent(value)?.toLowerCase();
    if (code === undefined) return;
    // AWS writes the name of an exception as `<namespace>#<name>:<URL>`, in which namespace and URL may be absent.
    this.#codes.add(code.split(':', 1)[0]!.split('#').at(-1)!);
    const number = Number(code);
    if (this.#status === undefined && Number.isInteger(number) && number >= 400 && number < 600) this.#status = number;
  }
}

/**
 * Appends what is wrong if it is next to the message: the path of the wrong field, as pydantic reports it, or Xiaomi's
 * explanation. Without it, clients would get only "Extra inputs are not permitted"
 * (https://github.com/partITech/php-mistral/issues/76) or "Param Incorrect"
 * (https://github.com/CherryHQ/cherry-studio/issues/20539).
 */
function withPlace(message: string, { loc, param }: Record<string, unknown>): string {
  // Other providers have the name of a field in `param`, which has no spaces.
  if (typeof param === 'string' && /\S \S/.test(param)) return `${message}: ${param}`;
  const parts = listOrEmpty(loc).filter((part) => typeof part === 'string' || typeof part === 'number');
  return parts.length > 0 ? `${message} (${parts.join('.')})` : message;
}

/** Returns the requested wait in an error, not parsed. Fields in milliseconds have precedence. */
function statedWait(record: Record<string, unknown>): unknown {
  const ms = WAIT_FIELDS_IN_MS.map((field) => codeDigits(record[field])).find((digits) => digits !== undefined);
  if (ms !== undefined) return `${ms}ms`;
  return WAIT_FIELDS.map((field) => record[field]).find((value) => value !== undefined && value !== null);
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
