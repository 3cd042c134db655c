/** Vectors are numbers, or the bytes of 32-bit floats in base64. */

import type { VectorEncoding } from './schema.ts';

/** A vector in the provider's form. If the client requests the same form, it gets the same digits. */
export type Vector = { numbers: readonly number[] } | { base64: string };

const BYTES_PER_NUMBER = 4;

export function dimensionsOf(vector: Vector): number {
  if ('numbers' in vector) return vector.numbers.length;
  return Buffer.byteLength(vector.base64, 'base64') / BYTES_PER_NUMBER;
}

/** Returns whether every number is finite as a 32-bit float, so that clients can read it as a number and as base64. */
export function isFiniteVector(vector: Vector): boolean {
  const numbers = 'numbers' in vector ? vector.numbers : numbersIn(vector.base64);
  return numbers.every((number) => Number.isFinite(Math.fround(number)));
}

/** Returns the vector in the form that the client requested. */
export function encodedVector(vector: Vector, encoding: VectorEncoding): readonly number[] | string {
  if (encoding === 'float') return 'numbers' in vector ? vector.numbers : numbersIn(vector.base64);
  return 'base64' in vector ? vector.base64 : base64Of(vector.numbers);
}

/** Decodes 32-bit floats. */
function numbersIn(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  const numbers: number[] = [];
  for (let at = 0; at + BYTES_PER_NUMBER <= bytes.length; at += BYTES_PER_NUMBER) numbers.push(bytes.readFloatLE(at));
  return numbers;
}

function base64Of(numbers: readonly number[]): string {
  const bytes = Buffer.alloc(numbers.length * BYTES_PER_NUMBER);
  for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * BYTES_PER_NUMBER);
  return bytes.toString('base64');
}
