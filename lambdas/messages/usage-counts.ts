import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import type { WireUsage } from './types.ts';

/** A number of tokens is a whole number from 0 on; any other value in its place does not count. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A number of tokens; undefined in the place of anything else. */
export function countOrAbsent(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

const countFields = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** A usage as clients may see it: without invalid counts, which would crash many of them. */
export function withSoundCounts(usage: unknown): WireUsage {
  const sound: WireUsage = { ...recordOrEmpty(usage) };
  for (const field of countFields) if (sound[field] !== null && !isCount(sound[field])) delete sound[field];
  return sound;
}

/** Whether all counts of a usage are counts, or null. */
export function hasSoundCounts(usage: Record<string, unknown>): boolean {
  return countFields.every((field) => usage[field] == null || isCount(usage[field]));
}

/** The syntax of a call is billed beside its name and arguments: some dozens of tokens that are never shown. */
export const CALL_OVERHEAD_BYTES = 64;
