/** What Node calls a service that cannot be talked to. */
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

/** @returns why the service behind a call cannot be reached, for people; undefined for any other error */
export function whyUnreachable(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (CODES.has(code)) return code;
  return ['NoReplyError', 'TimeoutError'].includes(error.name) ? 'no reply' : undefined;
}
