/** Returns a random idempotency key. Unlike `crypto.randomUUID`, this also works on a page without TLS. */
export function newChangeName(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Returns the idempotency key for the next attempt after a failure. It stays the same, because the gateway may have
 * made the change although its response was lost. After a conflict (409), it is new, because another change may have
 * the old key.
 */
export function changeNameAfter(failure: unknown, once: string): string {
  const isConflict = failure instanceof Error && 'status' in failure && failure.status === 409;
  return isConflict ? newChangeName() : once;
}
