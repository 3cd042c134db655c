import { invalidRequest } from '../platform/errors.ts';
import { isRawNumber, measureJson, parseExactly } from '../platform/json/exact-json.ts';

export interface JsonRules {
  /** Names of fields whose numbers keep their source text, as a NumberText. */
  exactNumbers?: readonly string[];
  /**
   * Names of fields in which numbers keep all their digits: a number that a float would change becomes JSON.rawJSON.
   */
  exactWithin?: readonly string[];
  /** Maximum number of values, counting nested values; default: DEFAULT_MAX_VALUES. */
  maxValues?: number;
  /** Maximum number of named fields in all objects; default: `maxValues`. */
  maxFields?: number;
}

/** Maximum nesting depth, because JSON.stringify is recursive. */
const MAX_BODY_DEPTH = 128;
/**
 * Default maximum number of values in a body. The size does not limit the memory of parsed JSON, because two bytes can
 * create an object.
 */
const DEFAULT_MAX_VALUES = 10_000;
/** Maximum number of numbers that a float would change, because reading each of them exactly takes a microsecond. */
const MAX_INEXACT_NUMBERS = 10_000;

const MAX_FIELDS = 500;

/** Source text of a number, which JSON.parse would round to a float. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Parses JSON, with time and memory bounded by the rules. A byte order mark is ignored, as RFC 8259 (section 8.1)
 * allows.
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
  // An object with half a million names takes a second to build, a list of numbers only milliseconds.
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

/** Returns only the line and column of a parser error, whose message quotes the body. */
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

/** Keeps exact numbers only in the named fields, because schemas validate plain numbers. */
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
