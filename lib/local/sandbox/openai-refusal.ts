/** Types and codes as OpenAI has them. */
const kinds: Record<number, { type: string; code: string }> = {
  400: { type: 'invalid_request_error', code: 'invalid_request' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  503: { type: 'server_error', code: 'overloaded' },
};

/** As OpenAI refuses a request, in chat completions and in the Responses API. */
export function openaiRefusal(status: number, message: string): object {
  const { type, code } = kinds[status] ?? { type: 'server_error', code: 'server_error' };
  return { error: { message, type, param: null, code } };
}
