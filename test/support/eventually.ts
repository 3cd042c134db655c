import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/**
 * Repeats a check until it passes.
 * @returns the value of the check that passed
 * @throws the error of the last check, after `PATIENCE_MS`
 */
export function eventually<Value>(check: () => Value | Promise<Value>, intervalMs = 50): Promise<Value> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: intervalMs });
}
