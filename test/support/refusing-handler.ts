import { refusalOfResponse } from '../../lambdas/providers/failures.ts';

const provider = { id: 'anthropic', name: 'Anthropic', baseUrl: 'https://api.anthropic.com', credential: undefined };

/** Function for tests of bundles: returns the failure after a provider's answer with status 429 and this message. */
export function handler(message: string): { kind: string; headers: Record<string, string> } {
  const { kind, headers } = refusalOfResponse(
    { status: 429, headers: { 'retry-after': '7' } },
    JSON.stringify({ error: { message } }),
    provider,
  );
  return { kind, headers };
}
