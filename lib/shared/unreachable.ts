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

/** Returns why a service cannot be reached, for error messages; undefined for other errors. */
export function whyUnreachable(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (CODES.has(code)) return code;
  return ['NoReplyError', 'TimeoutError'].includes(error.name) ? 'no reply' : undefined;
}
