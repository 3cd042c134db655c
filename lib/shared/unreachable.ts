/** Node's error codes for a service that cannot be reached. */
const CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

/** Returns the reason why a service cannot be reached, for error messages; undefined for any other error. */
export function whyUnreachable(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (CODES.has(code)) return code;
  return ['NoReplyError', 'TimeoutError'].includes(error.name) ? 'no reply' : undefined;
}
