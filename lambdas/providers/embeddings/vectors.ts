/** Reads vectors of others: what is none becomes an empty one, which is refused with all others. */

import type { Vector } from '../../embeddings/vector.ts';

const NO_VECTOR: Vector = { numbers: [] };
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A list of numbers, or base64 of 32-bit floats. */
function vectorFrom(value: unknown): Vector {
  if (typeof value === 'string') return BASE64.test(value) && value.length % 4 === 0 ? { base64: value } : NO_VECTOR;
  return isNumbers(value) ? { numbers: value } : NO_VECTOR;
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((number) => typeof number === 'number' && Number.isFinite(number));
}

/** Each element of a list, read so; no vectors in the place of anything else. */
export function vectorsFrom(list: unknown, read: (element: unknown) => unknown): Vector[] {
  return Array.isArray(list) ? list.map((element) => vectorFrom(read(element))) : [];
}
