import { isFiniteVector, type Vector } from '../../embeddings/vector.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';

/** Replacement for an unreadable vector. The later check of vector lengths rejects it. */
const NO_VECTOR: Vector = { numbers: [] };
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads one vector: a list of numbers, or base64 of 32-bit floats. */
function vectorFrom(value: unknown): Vector {
  const vector = formOf(value);
  return vector && isFiniteVector(vector) ? vector : NO_VECTOR;
}

function formOf(value: unknown): Vector | undefined {
  if (typeof value === 'string') return BASE64.test(value) && value.length % 4 === 0 ? { base64: value } : undefined;
  return isNumbers(value) ? { numbers: value } : undefined;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number');
}

/** Reads a vector from each element of a list. Returns no vectors if the value is not a list. */
export function vectorsFrom(list: unknown, read: (element: unknown) => unknown): Vector[] {
  return Array.isArray(list) ? list.map((element) => vectorFrom(read(element))) : [];
}

/** Reads the vectors of a list in OpenAI's form. Returns no vectors if the value is not a list. */
export function vectorsInOrder(data: unknown): Vector[] {
  return vectorsFrom(
    Array.isArray(data) ? elementsByIndex(data) : [],
    (element) => recordOrEmpty(element)['embedding'],
  );
}

/**
 * Sorts the elements by `index` if the indexes are the numbers from 0 without gaps: OpenAI's documentation guarantees
 * no order.
 */
function elementsByIndex(list: readonly unknown[]): readonly unknown[] {
  const indexes = new Set(list.map(indexOf));
  const isNumbered = indexes.size === list.length && list.every((_, index) => indexes.has(index));
  return isNumbered ? list.toSorted((a, b) => (indexOf(a) as number) - (indexOf(b) as number)) : list;
}

function indexOf(element: unknown): unknown {
  return recordOrEmpty(element)['index'];
}
