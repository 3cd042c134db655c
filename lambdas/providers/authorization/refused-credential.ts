/** Thrown if a credential cannot authorize any request until the operator replaces it. */
export class RefusedCredential extends Error {
  override name = 'RefusedCredential';
}

/** HTTP statuses of rejections that may be temporary: timeout, too early, rate limit. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** Returns the error for a rejection by a provider's token URL. A permanent rejection is a RefusedCredential. */
export function tokenRefusal(status: number, message: string): Error {
  const isLasting = status >= 400 && status < 500 && !PASSING_STATUSES.has(status);
  return isLasting ? new RefusedCredential(message) : new Error(message);
}

/** Returns whether only another credential can help, for example because the credential is unreadable. */
export function isRefusedCredential(cause: unknown): boolean {
  if (cause instanceof RefusedCredential) return true;
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_INVALID_CHAR';
}
