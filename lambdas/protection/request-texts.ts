/**
 * Finds the texts in all fields of a request, also in fields that the gateway does not know. Encoded fields are
 * skipped.
 */

import { hasProviderSignature } from '../messages/thinking-signatures.ts';
import type { Block, Message, MessagesRequest } from '../messages/types.ts';
import { isRawNumber } from '../platform/json/exact-json.ts';

/**
 * Kind of a text, by the reader of the text: a model, a program or the API. It determines whether the text may change.
 */
export type TextKind =
  /** Text for the model; may be changed. */
  | 'text'
  /** Signed thinking; the provider rejects changed text. */
  | 'signed'
  /** Text for programs, such as a name, an id or a URL; a change would change its meaning. */
  | 'label'
  /** Keywords of the API. Terms of the dictionary are ignored there; a value of a category is refused. */
  | 'protocol';

export interface RequestText {
  text: string;
  kind: TextKind;
  /**
   * Name of a value in JSON that a model wrote or reads. Often only the name shows the kind of the value, as in
   * `{"inn": "…"}`.
   */
  name?: string | undefined;
}

/** Changed texts by their index; undefined for signed text that is removed with its block. */
export type TextChanges = ReadonlyMap<number, string | undefined>;

/** Structure that contains a value: fields of the API, JSON of a model, or a JSON schema. */
type Region = 'api' | 'json' | 'schema';

const textRegions = new Map<string, Region>([
  ['input', 'json'],
  ['input_examples', 'json'],
  ['input_schema', 'schema'],
  ['schema', 'schema'],
]);
const LABELS = new Set([
  'id',
  'tool_use_id',
  'name',
  'url',
  'file_id',
  'tool_name',
  'allowed_domains',
  'blocked_domains',
  'include_domains',
  'exclude_domains',
]);
const PROTOCOL = new Set([
  'type',
  'role',
  'model',
  'media_type',
  'ttl',
  'effort',
  'betas',
  'anthropic-beta',
  'country',
  'timezone',
  'service_tier',
  'speed',
  'inference_geo',
  'modalities',
  'aspect_ratio',
  'image_size',
  'voice',
]);
const SCHEMA_PROTOCOL = new Set(['type', 'format', '$ref', '$schema', '$id']);
/** Encoded values are neither searched nor changed. */
const ENCODED = new Set(['encrypted_content', 'encrypted_index', 'encrypted_stdout']);

/**
 * Fields that are searched first, in this order. The unchanged start of a conversation then gets the same placeholders
 * in every turn.
 */
const FIRST_FIELDS = ['tools', 'system', 'messages'];

/** Minimum length of an integer that is searched. Shorter integers are mostly counts and dates. */
const MIN_DIGITS = 9;

interface Container {
  value: object;
  /** Container that contains this container; undefined for the request itself. */
  parent: Container | undefined;
  /** Key or index in the parent. */
  key: string | number;
}

/** Position of a text: the value under a key or, if `isKey` is true, the key itself. */
interface TextPlace {
  holder: Container;
  key: string | number;
  isKey: boolean;
}

interface FoundValue extends Omit<RequestText, 'text'>, Omit<TextPlace, 'isKey'> {
  value: unknown;
}

/** New names for keys, and new values: a text, a container with changes, or undefined if removed. */
interface Edits {
  keys: Map<string | number, string>;
  values: Map<string | number, Container | string | undefined>;
}

/** Finds the texts of a request in one pass, and stores their positions. */
export class RequestTexts<Request extends MessagesRequest> {
  readonly texts: RequestText[] = [];
  readonly #places: TextPlace[] = [];
  readonly #root: Container;
  readonly #request: Request;
  readonly #origins: readonly number[] | undefined;

  /** @param origins index of each message in the client's request; undefined if the indexes are the same */
  constructor(request: Request, origins?: readonly number[]) {
    this.#request = request;
    this.#origins = origins;
    this.#root = { value: request, parent: undefined, key: '' };
    const fields = [...FIRST_FIELDS, ...Object.keys(request).filter((field) => !FIRST_FIELDS.includes(field))];
    for (const field of fields) this.#findInField(this.#root, field, 'api');
  }

  /** Returns the field of a text, such as `messages.0.content`, or the API field with the JSON that contains it. */
  fieldOf(index: number): string {
    const { holder, key } = this.#places[index]!;
    const path = [key];
    for (let at = holder; at.parent; at = at.parent) path.unshift(at.key);
    if (path[0] === 'messages') path[1] = this.#origins?.[path[1] as number] ?? path[1]!;
    // The path ends at the API field, because names in a client's own JSON may be protected data.
    const end = path.findIndex((part) => typeof part === 'string' && textRegions.has(part));
    return (end === -1 ? path : path.slice(0, end + 1)).join('.');
  }

  /** Returns the request with changed texts, without emptied messages. Copies only changed containers. */
  with(changes: TextChanges): Request {
    if (changes.size === 0) return this.#request;
    const edits = new Map<Container, Edits>();
    for (const [index, text] of changes) {
      const { holder, key, isKey } = this.#places[index]!;
      const { keys, values } = editsOf(holder, edits);
      if (isKey) keys.set(key, text!);
      else values.set(key, text);
    }
    const changed = { ...this.#request, ...changedFields(this.#root, edits) };
    const messages = changed.messages.filter(
      (message, index) => !isEmpty(message) || isEmpty(this.#request.messages[index]!),
    );
    return { ...changed, messages };
  }

  #findInField(holder: Container, key: string, region: Region): void {
    const parent = holder.value as Block;
    if (region === 'api' && isEncoded(parent, key)) return;
    const name = region === 'json' ? key : undefined;
    const found = { value: parent[key], holder, key, kind: kindOf(parent, key, region), name };
    this.#find(found, region === 'api' ? (textRegions.get(key) ?? region) : region);
  }

  #find(found: FoundValue, region: Region): void {
    const { value, holder, key } = found;
    if (typeof value === 'string') this.#add(value, found);
    else if (typeof value === 'number' || isRawNumber(value)) this.#addNumber(value, found, region);
    else if (Array.isArray(value)) {
      const list = { value, parent: holder, key };
      for (const [index, item] of value.entries()) {
        this.#find({ value: item, holder: list, key: index, kind: found.kind, name: found.name }, region);
      }
    } else if (typeof value === 'object' && value !== null) {
      this.#findInObject({ value, parent: holder, key }, region);
    }
  }

  #findInObject(object: Container, region: Region): void {
    for (const key of Object.keys(object.value)) {
      this.#findInField(object, key, region);
      if (region === 'api') continue;
      const kind = region === 'schema' ? 'label' : 'text';
      this.#add(key, { holder: object, key, kind, name: undefined }, true);
    }
  }

  /**
   * Adds a long integer to the texts. A model may write a phone number as a number, with a sign or as `79123456789.0`.
   * If it is protected, a string with the placeholder replaces it.
   */
  #addNumber(value: number | { rawJSON: string }, found: FoundValue, region: Region): void {
    if (region === 'api') return;
    const digits = typeof value === 'number' ? String(value) : value.rawJSON;
    if (digits.length < MIN_DIGITS || !/^-?\d+(?:\.0+)?$/.test(digits)) return;
    this.#add(digits, { ...found, kind: region === 'schema' ? 'label' : 'text' });
  }

  #add(text: string, { kind, name, holder, key }: Omit<FoundValue, 'value'>, isKey = false): void {
    if (text === '') return;
    this.texts.push({ text, kind, name });
    this.#places.push({ holder, key, isKey });
  }
}

function editsOf(container: Container, edits: Map<Container, Edits>): Edits {
  const known = edits.get(container);
  if (known) return known;
  const added: Edits = { keys: new Map(), values: new Map() };
  edits.set(container, added);
  if (container.parent) editsOf(container.parent, edits).values.set(container.key, container);
  return added;
}

function changedFields(container: Container, edits: ReadonlyMap<Container, Edits>): Record<string, unknown> {
  const { values } = edits.get(container)!;
  return Object.fromEntries(
    [...values].map(([key, value]) => [key, typeof value === 'object' ? changedValue(value, edits) : value]),
  );
}

/**
 * Returns a container with its changes; undefined for an object with signed thinking that cannot be restored to its
 * signed form.
 */
function changedValue(container: Container, edits: ReadonlyMap<Container, Edits>): unknown {
  const { value } = container;
  const fields = changedFields(container, edits);
  if (Array.isArray(value)) return Object.assign([...value], fields).filter((item) => item !== undefined);
  if (Object.values(fields).includes(undefined)) return undefined;
  const { keys } = edits.get(container)!;
  // Keeps members with symbols, such as the phase of a text.
  if (keys.size === 0) return { ...value, ...fields };
  // Object.fromEntries also works for a key named __proto__.
  return Object.fromEntries(
    Object.entries({ ...value, ...fields }).map(([key, field]) => [keys.get(key) ?? key, field]),
  );
}

function isEmpty({ content }: Message): boolean {
  return Array.isArray(content) && content.length === 0;
}

function kindOf(parent: Block, field: string, region: Region): TextKind {
  if (region === 'schema') return SCHEMA_PROTOCOL.has(field) ? 'protocol' : 'text';
  if (region === 'json') return 'text';
  if (field === 'thinking' && hasProviderSignature(parent)) return 'signed';
  if (LABELS.has(field)) return 'label';
  return PROTOCOL.has(field) ? 'protocol' : 'text';
}

function isEncoded({ type }: Block, field: string): boolean {
  if (field === 'data') return type === 'base64' || type === 'redacted_thinking';
  return (field === 'signature' && type === 'thinking') || ENCODED.has(field);
}
