import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import type { WireUsage } from './types.ts';

/** Whether a value is a non-negative integer. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns a valid count; undefined for any other value. */
export function countOrAbsent(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

const countFields = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** Removes invalid counts, on which some clients would crash. */
export function withSoundCounts(usage: unknown): WireUsage {
  const sound: WireUsage = { ...recordOrEmpty(usage) };
  for (const field of countFields) if (sound[field] !== null && !isCount(sound[field])) delete sound[field];
  return sound;
}

/** Whether each count of a usage object is valid, null or absent. */
export function hasSoundCounts(usage: Record<string, unknown>): boolean {
  return countFields.every((field) => usage[field] == null || isCount(usage[field]));
}

/** Estimated size in bytes of a tool call's syntax, which providers may bill as tokens. */
export const CALL_OVERHEAD_BYTES = 64;
