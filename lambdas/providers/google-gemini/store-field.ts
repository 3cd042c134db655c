import type { Quirks } from '../../catalog/quirk-schemas.ts';

/**
 * Forbids the Gemini API to store a request and its answer. Projects created since 26 October 2026 store both for up to
 * 55 days by default: https://ai.google.dev/gemini-api/docs/logs-datasets.
 */
export function storeField({ stores_requests: stores }: Quirks): { store?: false } {
  return stores ? { store: false } : {};
}
