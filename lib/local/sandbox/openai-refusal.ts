/** OpenAI's error types and codes by HTTP status. */
const kinds: Record<number, { type: string; code: string }> = {
  400: { type: 'invalid_request_error', code: 'invalid_request' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  503: { type: 'server_error', code: 'overloaded' },
};

/** Returns an error body of OpenAI's Chat Completions and Responses APIs. */
export function openaiRefusal(status: number, message: string): object {
  const { type, code } = kinds[status] ?? { type: 'server_error', code: 'server_error' };
  return { error: { message, type, param: null, code } };
}
