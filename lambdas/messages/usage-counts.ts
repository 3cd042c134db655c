import { recordOrEmpty } from '../platform/json/foreign-json.ts';
import type { WireUsage } from './types.ts';

/** Token counts are non-negative integers. Other values are ignored. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The token count; undefined if the value is not a valid count. */
export function countOrAbsent(value: unknown): number | undefined {
  return isCount(value) ? value : undefined;
}

const countFields = [
  'input_tokens',
  'output_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
] as const;

/** A usage object for clients, without invalid counts, which would crash many clients. */
export function withSoundCounts(usage: unknown): WireUsage {
  const sound: WireUsage = { ...recordOrEmpty(usage) };
  for (const field of countFields) if (sound[field] !== null && !isCount(sound[field])) delete sound[field];
  return sound;
}

/** Whether each count of a usage is valid or null. */
export function hasSoundCounts(usage: Record<string, unknown>): boolean {
  return countFields.every((field) => usage[field] == null || isCount(usage[field]));
}

/**
 * Providers bill the syntax of a call in addition to its name and arguments: some dozens of tokens that are never
 * shown.
 */
export const CALL_OVERHEAD_BYTES = 64;
