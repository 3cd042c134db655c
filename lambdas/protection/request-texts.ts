/**
 * Every text of a request, wherever it stands: what is not known to be something else is text, so that a field that is
 * newer than the gateway is one as well.
 */

import { hasProviderSignature } from '../messages/thinking-signatures.ts';
import type { Block, Message, MessagesRequest } from '../messages/types.ts';
import { isRawNumber } from '../platform/json/exact-json.ts';

/** What may be done with a text. */
export type TextKind =
  /** Read by the model: it may be changed. */
  | 'text'
  /** Thinking that its provider has signed: any other text is refused there. */
  | 'signed'
  /** Read by programs: names, ids, addresses. Changed, it would mean something else. */
  | 'label'
  /** Words of the protocol. */
  | 'protocol';

interface TextPlace {
  kind: TextKind;
  /** The field, as in `messages.0.content`; what is inside of a JSON value has that value's. */
  field: () => string;
  /** The name of the value in JSON that a model wrote or reads: often the only word that says what it is. */
  name?: string | undefined;
}

/** @returns what stands there instead; undefined for a signed text: its block is left out */
export type Visit = (text: string, place: TextPlace) => string | undefined;

/** Where a value is: in the structure of the API, in JSON of the model, or in a schema. */
type Region = 'api' | 'json' | 'schema';

/** Fields that hold JSON without a fixed form. */
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
]);
const SCHEMA_PROTOCOL = new Set(['type', 'format', '$ref', '$schema', '$id']);
/** Encoded: nothing in them can be read or changed. */
const ENCODED = new Set(['encrypted_content', 'encrypted_index', 'encrypted_stdout']);

/** In this order values get their numbers: what every turn of a conversation begins with is first. */
const FIRST_FIELDS = ['tools', 'system', 'messages'];

/** Whole numbers of fewer digits are nothing that anybody protects. */
const MIN_DIGITS = 9;

/** The request with its texts as the visitor returns them; what does not change is not copied. */
export function mapTexts(request: MessagesRequest, visit: Visit): MessagesRequest {
  const walk = new Walk(visit);
  const fields = [...FIRST_FIELDS, ...Object.keys(request).filter((field) => !FIRST_FIELDS.includes(field))];
  const changes = fields
    .filter((field) => request[field] !== undefined)
    .map((field) => [field, walk.field(request, field, 'api')] as const)
    .filter(([field, value]) => value !== request[field]);
  if (changes.length === 0) return request;
  const mapped = { ...request, ...Object.fromEntries(changes) };
  const { messages } = mapped;
  return {
    ...mapped,
    messages: messages.filter((message, index) => !isEmpty(message) || isEmpty(request.messages[index]!)),
  };
}

/** One that had nothing but signed thinking is, when that is left out. */
function isEmpty({ content }: Message): boolean {
  return Array.isArray(content) && content.length === 0;
}

class Walk {
  readonly #visit: Visit;
  readonly #path: (string | number)[] = [];

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  field(parent: object, field: string, region: Region): unknown {
    const value = (parent as Record<string, unknown>)[field];
    if (region === 'api' && isEncoded(parent as Block, field)) return value;
    this.#path.push(field);
    const mapped = this.#value(value, region === 'api' ? (textRegions.get(field) ?? region) : region, {
      kind: kindOf(parent as Block, field, region),
      name: region === 'json' ? field : undefined,
    });
    this.#path.pop();
    return mapped;
  }

  #value(value: unknown, region: Region, place: { kind: TextKind; name: string | undefined }): unknown {
    if (typeof value === 'string') return this.#text(value, region, place);
    if (typeof value === 'number' || isRawNumber(value)) return this.#number(value, region, place.name);
    if (Array.isArray(value)) return this.#list(value, region, place);
    if (typeof value === 'object' && value !== null) return this.#object(value, region);
    return value;
  }

  #text(
    text: string,
    region: Region,
    { kind, name }: { kind: TextKind; name: string | undefined },
  ): string | undefined {
    if (text === '') return text;
    return this.#visit(text, { kind, name, field: () => this.#fieldPath(region) });
  }

  /** A model may write a phone as a number, with a sign or as `79123456789.0`. Its digits are searched, and a text replaces it. */
  #number(value: number | { rawJSON: string }, region: Region, name: string | undefined): unknown {
    if (region === 'api') return value;
    const digits = typeof value === 'number' ? String(value) : value.rawJSON;
    if (digits.length < MIN_DIGITS || !/^-?\d+(?:\.0+)?$/.test(digits)) return value;
    const mapped = this.#text(digits, region, { kind: region === 'schema' ? 'label' : 'text', name });
    return mapped === digits ? value : mapped;
  }

  #list(list: unknown[], region: Region, place: { kind: TextKind; name: string | undefined }): unknown[] {
    const mapped = list.map((value, index) => {
      this.#path.push(index);
      const result = this.#value(value, region, place);
      this.#path.pop();
      return result;
    });
    return mapped.every((value, index) => value === list[index]) ? list : mapped.filter((value) => value !== undefined);
  }

  #object(object: object, region: Region): unknown {
    let isChanged = false;
    const entries: [string, unknown][] = [];
    for (const key of Object.keys(object)) {
      const before = (object as Record<string, unknown>)[key];
      const value = this.field(object, key, region);
      // Signed thinking that cannot be sent as it was signed.
      if (value === undefined && before !== undefined) return undefined;
      const name =
        region === 'api'
          ? key
          : this.#text(key, region, { kind: region === 'schema' ? 'label' : 'text', name: undefined });
      isChanged ||= value !== before || name !== key;
      entries.push([name!, value]);
    }
    // From entries, because a key may be __proto__.
    return isChanged ? Object.fromEntries(entries) : object;
  }

  /** The names of a client's own JSON may be what is protected: the path ends above them. */
  #fieldPath(region: Region): string {
    if (region === 'api') return this.#path.join('.');
    const end = this.#path.findIndex((part) => typeof part === 'string' && textRegions.has(part));
    return this.#path.slice(0, end + 1).join('.');
  }
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
