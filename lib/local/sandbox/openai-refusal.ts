const codes: Record<number, string> = { 400: 'invalid_request', 429: 'rate_limit_exceeded', 503: 'overloaded' };

/** As OpenAI refuses a request, in chat completions and in the Responses API. */
export function openaiRefusal(status: number, message: string): object {
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message, type, param: null, code: codes[status] ?? 'server_error' } };
}
