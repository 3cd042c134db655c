import { vi } from 'vitest';
import { PATIENCE_MS } from './patience.ts';

/**
 * Repeats a check until it passes, and returns its value.
 * @throws {Error} the error of the last check, after `PATIENCE_MS`
 */
export function eventually<Value>(check: () => Value | Promise<Value>, intervalMs = 50): Promise<Value> {
  return vi.waitFor(check, { timeout: PATIENCE_MS, interval: intervalMs });
}
