/**
 * Measures JSON, and parses it without changing its numbers. A number is exact if it has the same value after
 * JSON.parse and JSON.stringify. 9007199254740993, 1e400 and 0.1000000000000000055 are not exact.
 */

export interface JsonMeasure {
  /** Depth of the deepest nesting of objects and lists. */
  depth: number;
  /** Number of values. An empty object or list counts twice. */
  values: number;
  /** Number of field names in all objects together. */
  fields: number;
  inexactNumbers: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;

/** Maximum nesting of parsed JSON, because JSON.stringify calls itself for each level. */
const MAX_JSON_DEPTH = 1_000;
/**
 * Length up to which every number is exact. The shortest numbers that JavaScript cannot represent, such as "9e999", are
 * longer.
 */
const SURELY_EXACT_LENGTH = 4;
/** Length up to which every number without an exponent is exact. */
const EXACT_DIGITS = 15;

/** Measures a text, which need not be valid JSON. Stops counting soon after a maximum is exceeded. */
export function measureJson(text: string, maxValues: number, maxFields = maxValues): JsonMeasure {
  let open = 0;
  let depth = 0;
  let values = 1;
  let fields = 0;
  let inexactNumbers = 0;
  for (let index = 0; index < text.length && values <= maxValues && fields <= maxFields; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === COMMA) {
      values += 1;
    } else if (code === COLON) {
      fields += 1;
    } else if (code === 0x7b || code === 0x5b) {
      values += 1;
      open += 1;
      if (open > depth) depth = open;
    } else if (code === 0x7d || code === 0x5d) {
      open -= 1;
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, index + 1);
      if (end - index > SURELY_EXACT_LENGTH && !isExact(text.slice(index, end))) inexactNumbers += 1;
      index = end - 1;
    }
  }
  return { depth, values, fields, inexactNumbers };
}

/**
 * Parses JSON like JSON.parse, but keeps the text of each inexact number, as JSON.rawJSON. JSON.stringify writes that
 * text unchanged.
 */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, keepText as Parameters<typeof JSON.parse>[1]);
}

function keepText(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' && !isExact(source) ? JSON.rawJSON(source) : value;
}

/**
 * Parses JSON. Inexact numbers keep their text (`parseExactly`).
 * @throws {SyntaxError} for a text that is not JSON, has more than `maxValues` values, or is nested deeper than
 * MAX_JSON_DEPTH
 */
export function readExactly(text: string, maxValues = Infinity): unknown {
  const { depth, values, inexactNumbers } = measureJson(text, maxValues);
  if (values > maxValues) throw new SyntaxError(`more than ${maxValues} values`);
  if (depth > MAX_JSON_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_JSON_DEPTH} levels`);
  return inexactNumbers > 0 ? parseExactly(text) : JSON.parse(text);
}

/** Returns whether a value is an inexact number that `parseExactly` kept. Its text is in the field `rawJSON`. */
export function isRawNumber(value: unknown): value is { rawJSON: string } {
  return JSON.isRawJSON(value);
}

function endOfString(text: string, opening: number): number {
  let index = opening + 1;
  for (; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) break;
    if (code === BACKSLASH) index += 1;
  }
  return index;
}

function endOfNumber(text: string, from: number): number {
  let index = from;
  while (index < text.length && isNumberPart(text.charCodeAt(index))) index += 1;
  return index;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isNumberPart(code: number): boolean {
  return isDigit(code) || code === 0x2e || code === 0x65 || code === 0x45 || code === MINUS || code === 0x2b;
}

function isExact(literal: string): boolean {
  const hasExponent = literal.includes('e') || literal.includes('E');
  if (!hasExponent && (literal.length <= EXACT_DIGITS || isShortFraction(literal))) return true;
  const value = Number(literal);
  const written = String(value);
  // A text that is not a number counts as exact here, because the parser rejects it.
  if (written === literal || Number.isNaN(value)) return true;
  return Number.isFinite(value) && decimalOf(literal) === decimalOf(written);
}

/** Returns whether a number is long only because of zeros at the end of its fraction. */
function isShortFraction(literal: string): boolean {
  return literal.endsWith('0') && literal.includes('.') && withoutTrailingZeros(literal).length <= EXACT_DIGITS;
}

/**
 * Returns the normal form of a number, which all spellings of the same value have in common: sign, digits without zeros
 * at the start and the end, and power of ten.
 */
function decimalOf(literal: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
  const significant = (whole + fraction).replace(/^0+/, '');
  if (significant === '') return `${sign}0`;
  const digits = withoutTrailingZeros(significant);
  return `${sign}${digits}e${Number(power) - fraction.length + significant.length - digits.length}`;
}

function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}
