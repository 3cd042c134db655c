import { invalidRequest } from '../platform/errors.ts';
import { isRawNumber, measureJson, parseExactly } from '../platform/json/exact-json.ts';

/** Rules for reading a route's JSON, in addition to its schema. */
export interface JsonRules {
  /** Names of fields whose numbers keep their source text, as a NumberText. */
  exactNumbers?: readonly string[];
  /**
   * Names of fields that may contain numbers of any size or precision. A number that a float would change becomes
   * JSON.rawJSON.
   */
  exactWithin?: readonly string[];
  /** Maximum number of values in a body, counting nested values; default: DEFAULT_MAX_VALUES. */
  maxValues?: number;
  /**
   * Maximum number of named fields, over all objects of the body; default: `maxValues`. Set a lower number for bodies
   * whose values are mostly list elements.
   */
  maxFields?: number;
}

/**
 * Maximum nesting depth of a body; no known client sends a deeper body. The depth must be limited because
 * JSON.stringify is recursive.
 */
const MAX_BODY_DEPTH = 128;
/**
 * Default maximum number of values in a body, enough for configuration. The size in bytes does not limit the memory of
 * parsed JSON, because two bytes can create an object.
 */
const DEFAULT_MAX_VALUES = 10_000;
/**
 * Maximum number of numbers in a body that a float would change. To read such a number exactly takes a microsecond. No
 * known client sends more of them.
 */
const MAX_INEXACT_NUMBERS = 10_000;

/** Maximum number of fields at the top level of a body, ten times as many as the largest known body has. */
const MAX_FIELDS = 500;

/** Source text of a number in a body. JSON.parse would round the number to a float. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Parses JSON, with time and memory bounded by the rules. A byte order mark, which some editors and PowerShell write at
 * the beginning of a file, is ignored, as RFC 8259 (section 8.1) allows.
 * @throws {GatewayError} 400 for a text that is not JSON, or exceeds a limit
 */
export function readJsonBody(received: string, rules: JsonRules): unknown {
  const { exactNumbers = [], exactWithin = [], maxValues = DEFAULT_MAX_VALUES, maxFields = maxValues } = rules;
  const text = received.startsWith('\ufeff') ? received.slice(1) : received;
  if (text === '') throw invalidRequest('body', 'is empty; send a JSON object');
  const measure = measureJson(text, maxValues, maxFields);
  if (measure.depth > MAX_BODY_DEPTH) throw invalidRequest('body', `is nested deeper than ${MAX_BODY_DEPTH} levels`);
  if (measure.values > maxValues) {
    throw invalidRequest('body', `has more than ${maxValues} values; write large data as text`);
  }
  // Limits the number of names, because an object with half a million names takes a second to build, but a list of half
  // a million numbers only milliseconds.
  if (measure.fields > maxFields) throw invalidRequest('body', `has more than ${maxFields} fields`);
  if (measure.inexactNumbers > MAX_INEXACT_NUMBERS) {
    throw invalidRequest(
      'body',
      `has more than ${MAX_INEXACT_NUMBERS} numbers that a 64-bit float cannot represent; write them as strings`,
    );
  }
  const body = parseBody(text, () => {
    if (exactNumbers.length > 0) return parseNumberTexts(text, exactNumbers);
    if (exactWithin.length > 0 && measure.inexactNumbers > 0) return roundedOutside(parseExactly(text), exactWithin);
    return JSON.parse(text);
  });
  if (hasMoreFields(body, MAX_FIELDS)) throw invalidRequest('body', `has more than ${MAX_FIELDS} fields`);
  return body;
}

function parseBody(text: string, read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw invalidRequest('body', `is not valid JSON${placeOfFault(text)}`);
  }
}

/**
 * Returns only the line and column of a parser error. The error's message quotes the body, which may contain a prompt.
 */
function placeOfFault(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec((error as Error).message) ?? [];
    return line === undefined ? '' : ` (line ${line}, column ${column})`;
  }
}

function hasMoreFields(body: unknown, most: number): boolean {
  let fields = 0;
  for (const _ in body as object) {
    fields += 1;
    if (fields > most) return true;
  }
  return false;
}

function parseNumberTexts(text: string, names: readonly string[]): unknown {
  const keepText = (key: string, value: unknown, context: { source: string }) =>
    typeof value === 'number' && names.includes(key) ? new NumberText(context.source) : value;
  return JSON.parse(text, keepText as Parameters<typeof JSON.parse>[1]);
}

/**
 * Returns the value with plain numbers everywhere except in the named fields. Schemas can validate only plain numbers.
 */
function roundedOutside(value: unknown, names: readonly string[]): unknown {
  if (isRawNumber(value)) return Number(value.rawJSON);
  if (typeof value !== 'object' || value === null) return value;
  const container = value as Record<string, unknown>;
  for (const [name, inner] of Object.entries(container)) {
    if (names.includes(name) && !isRawNumber(inner)) continue;
    const rounded = roundedOutside(inner, names);
    if (rounded !== inner) container[name] = rounded;
  }
  return value;
}
