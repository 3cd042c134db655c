/**
 * Reads forms (`multipart/form-data`) into the value of an equivalent JSON body, so that one schema checks both. A file
 * becomes a `FormFile`. The number and sizes of parts are limited.
 */

import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { invalidRequest } from '../platform/errors.ts';
import { FormFile } from '../platform/form-file.ts';
import { readJsonBody, type JsonRules } from './json-body.ts';
import type { HttpRequest } from './request.ts';

/**
 * Names of form fields whose values are not plain text. In addition, `name[]` is a list (or a single file), and
 * `name[key]` an object. An empty field counts as absent, because forms have no null.
 */
export interface FormRules extends JsonRules {
  /** Fields that are files. If sent as text, they stay text, which the schema then rejects. */
  files: readonly string[];
  maxFiles: number;
  /**
   * Fields that are lists even if they appear once and without `[]`. Clients also send a list as JSON text, or as
   * `name[0]`, `name[1]` and so on.
   */
  lists?: readonly string[];
  numbers?: readonly string[];
  booleans?: readonly string[];
  json?: readonly string[];
}

/**
 * Reads the form of a request. Also sets the request's `body` to a text that identifies the content, without the
 * boundary, which changes when a client retries.
 * @throws {GatewayError} 400 for a form that is malformed, incomplete or beyond a limit
 */
export type ReadForm = (request: HttpRequest) => Promise<unknown>;

const MAX_TEXTS = 200;
const MAX_NAME_CHARACTERS = 200;
const NAME_RULE = `has a part whose name is missing, or longer than ${MAX_NAME_CHARACTERS} characters`;
const MAX_FIELD_BYTES = 1024 * 1024;
/** Maximum total size in bytes of all texts. */
const MAX_TEXTS_BYTES = 2 * 1024 * 1024;
const MAX_HEADERS_OF_PART = 16;
const MAX_PART_HEADER_BYTES = 8 * 1024;
/** Maximum number of parts in a name such as `a[b][c]`. */
const MAX_NAME_DEPTH = 4;

export function formBody(rules: FormRules): ReadForm {
  return async (request) => {
    const entries = await partsOf(request, rules);
    delete request.bodyBytes;
    const value = valueOf(entries, rules);
    request.body = JSON.stringify(value);
    return value;
  };
}

type FormEntry = [name: string, value: string | FormFile];

/** Returns the parts of a form. Files are copied, so that the memory of the body can be freed. */
async function partsOf(
  { headers, bodyBytes, body }: HttpRequest,
  { files, maxFiles }: FormRules,
): Promise<FormEntry[]> {
  const entries: FormEntry[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<FormEntry[]>();
  const refuse = (message: string, field = 'body') => reject(invalidRequest(field, message));
  const tooMany = (what: string, most: number) => () => refuse(`may have at most ${most} ${what}`);
  let textBytes = 0;
  const parser = parserOf(headers, maxFiles);
  parser
    .on('field', (name: string | undefined, text, _isNameCut, isTextCut) => {
      textBytes += Buffer.byteLength(text);
      if (!isFieldName(name)) refuse(NAME_RULE);
      else if (isTextCut) refuse('must have at most 1 MiB', shortName(name));
      else if (textBytes > MAX_TEXTS_BYTES) refuse('may have at most 2 MiB of texts');
      else entries.push([name, text]);
    })
    .on('file', (name: string | undefined, stream, fileName: string | undefined, _encoding, mediaType) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', (error) => reject(malformed(error)));
      if (!isFieldName(name)) return refuse(NAME_RULE);
      if (!files.includes(bareName(name))) return refuse('must be a text, not a file', shortName(name));
      // Reserves the file's position among the parts.
      const at = entries.push([name, new FormFile(Buffer.alloc(0), fileName ?? '', mediaType)]) - 1;
      stream.on('end', () => (entries[at] = [name, new FormFile(Buffer.concat(chunks), fileName ?? '', mediaType)]));
    })
    .on('fieldsLimit', tooMany('fields', MAX_TEXTS))
    .on('filesLimit', tooMany('files', maxFiles))
    .on('partsLimit', tooMany('parts', MAX_TEXTS + maxFiles))
    .on('error', (error) => reject(malformed(error)))
    .on('finish', () => resolve(entries));
  parser.end(bodyBytes ?? Buffer.from(body));
  return promise.finally(() => parser.destroy());
}

function parserOf(headers: HttpRequest['headers'], maxFiles: number) {
  try {
    return new Busboy({
      headers: headers as BusboyHeaders,
      limits: {
        fieldSize: MAX_FIELD_BYTES,
        fields: MAX_TEXTS,
        files: maxFiles,
        parts: MAX_TEXTS + maxFiles,
        headerPairs: MAX_HEADERS_OF_PART,
        headerSize: MAX_PART_HEADER_BYTES,
      },
    });
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(cause: unknown) {
  const refusal = invalidRequest(
    'body',
    'is not a complete form: send "content-type: multipart/form-data; boundary=…", and close the last part with the boundary',
  );
  refusal.cause = cause;
  return refusal;
}

/** Converts the parts of a form to an object: `a[b][]=c` becomes `{ a: { b: ['c'] } }`. */
function valueOf(entries: readonly FormEntry[], rules: FormRules): Record<string, unknown> {
  const body = Object.create(null) as Record<string, unknown>;
  for (const [name, part] of entries) {
    const keys = keysOf(name);
    const [field] = keys as [string];
    if (part === '') continue;
    const isList = rules.lists?.includes(field) === true;
    const values = isList ? elementsOf(part) : [part];
    const sent = isSingleFile(keys, rules) ? [field] : keys;
    const places = isList && isElementName(keys) ? [field, ''] : sent;
    for (const value of values) {
      placeField(body, places, typeof value === 'string' ? typedValue(field, value, rules) : value);
    }
  }
  return body;
}

/**
 * Whether `[]` after a name means a single file: some clients write `mask[]` next to `image[]`
 * (https://github.com/BerriAI/litellm/pull/39512).
 */
function isSingleFile([field, key, ...more]: readonly string[], { files, lists }: FormRules): boolean {
  return key === '' && more.length === 0 && files.includes(field!) && !lists?.includes(field!);
}

/** Whether a name has no key, or only a number as in `name[0]`. */
function isElementName([, key = '0', ...more]: readonly string[]): boolean {
  return more.length === 0 && /^\d+$/.test(key);
}

/** Matches a list of texts as JSON. Any other text in brackets may be a single element, such as a keyword. */
const LIST_OF_TEXTS = /^\s*\[\s*".*"\s*\]\s*$/s;

/**
 * Returns the elements of a list in one part.
 * @throws {GatewayError} 400 for a list that is not JSON
 */
function elementsOf(part: string | FormFile): unknown[] {
  return typeof part === 'string' && LIST_OF_TEXTS.test(part) ? (readJsonBody(part, {}) as unknown[]) : [part];
}

/**
 * Returns the keys in a name: `a[b][]` has the keys `a`, `b` and `''`. The empty key appends to a list.
 * @throws {GatewayError} 400 for a name in another form, or with too many keys
 */
function keysOf(name: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(name);
  if (!match) throw invalidRequest(shortName(name), 'is not a field name; write "name", "name[]" or "name[key]"');
  const keys = [match[1]!, ...[...match[2]!.matchAll(/\[([^[\]]*)\]/g)].map(([, key]) => key!)];
  if (keys.length > MAX_NAME_DEPTH || keys.slice(0, -1).includes('')) {
    throw invalidRequest(shortName(name), `may have at most ${MAX_NAME_DEPTH - 1} keys, and "[]" only at its end`);
  }
  return keys;
}

function placeField(body: Record<string, unknown>, keys: readonly string[], value: unknown): void {
  const [field] = keys as [string];
  let container: Record<string, unknown> | unknown[] = body;
  for (const [index, key] of keys.slice(0, -1).entries()) {
    // Only the innermost container of a name can be a list.
    const object = container as Record<string, unknown>;
    container = innerContainer(object[key], keys[index + 1] === '', field);
    object[key] = container;
  }
  const last = keys.at(-1)!;
  if (Array.isArray(container)) container.push(value);
  else if (Object.hasOwn(container, last)) throw twice(field);
  else container[last] = value;
}

function innerContainer(known: unknown, isList: boolean, field: string): Record<string, unknown> | unknown[] {
  if (known === undefined) return isList ? [] : (Object.create(null) as Record<string, unknown>);
  const isContainer = typeof known === 'object' && known !== null && !(known instanceof FormFile);
  if (!isContainer || Array.isArray(known) !== isList) throw twice(field);
  return known as Record<string, unknown>;
}

function twice(field: string) {
  return invalidRequest(shortName(field), 'appears more than once; send one value');
}

function typedValue(field: string, text: string, { numbers, booleans, json, ...rules }: FormRules): unknown {
  if (numbers?.includes(field) && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (booleans?.includes(field) && /^(true|false|1|0)$/i.test(text)) return /^(true|1)$/i.test(text);
  return json?.includes(field) ? readJsonBody(text, rules) : text;
}

function isFieldName(name: string | undefined): name is string {
  return name !== undefined && name !== '' && name.length <= MAX_NAME_CHARACTERS;
}

function bareName(name: string): string {
  return name.split('[', 1)[0]!;
}

function shortName(name: string): string {
  return bareName(name).slice(0, 100) || 'body';
}
