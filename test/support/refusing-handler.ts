import { refusalOfResponse } from '../../lambdas/providers/failures.ts';

const provider = { id: 'anthropic', name: 'Anthropic', baseUrl: 'https://api.anthropic.com', credential: undefined };

/** Returns the kind and the headers of the failure for a provider's error message. */
export function handler(message: string): { kind: string; headers: Record<string, string> } {
  const { kind, headers } = refusalOfResponse(
    { status: 429, headers: { 'retry-after': '7' } },
    JSON.stringify({ error: { message } }),
    provider,
  );
  return { kind, headers };
}
