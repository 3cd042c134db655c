/** A credential that cannot authorize any request until the operator replaces it. */
export class RefusedCredential extends Error {
  override name = 'RefusedCredential';
}

/** Statuses of a refusal that may pass without a new credential. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/** The error for a refusal by the address that issues tokens. */
export function tokenRefusal(status: number, message: string): Error {
  const isLasting = status >= 400 && status < 500 && !PASSING_STATUSES.has(status);
  return isLasting ? new RefusedCredential(message) : new Error(message);
}

/** Whether a failed authorization needs another credential: its issuer refuses it, or it cannot be sent or read. */
export function isRefusedCredential(cause: unknown): boolean {
  if (cause instanceof RefusedCredential) return true;
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_INVALID_CHAR';
}
