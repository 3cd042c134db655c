/** Clients get errors about limits of the operator's account, because they can wait or send less. */

import { describe, expect, it } from 'vitest';
import { errorInAnswer, refusalOfResponse } from '../../../lambdas/providers/failures.ts';

const provider = (id: string) => ({ id, name: 'Acme', baseUrl: 'https://api.acme.example/v1', credential: undefined });
const refusal = (id: string, status: number, message: string, code: unknown = null) =>
  refusalOfResponse({ status, headers: {} }, JSON.stringify({ error: { message, type: code, code } }), provider(id));

describe('a rate limit of the operator’s account', () => {
  it.each([
    [
      'openai',
      'Rate limit reached for gpt-5.4 in organization org-VDAWofJASuLH0vVz8o9tiQZr on tokens per min (TPM): Limit 30000, Used 29000, Requested 3082. Please try again in 9.816s.',
      'Rate limit reached for gpt-5.4 in organization [hidden] on tokens per min (TPM): Limit 30000, Used 29000, Requested 3082. Please try again in 9.816s.',
    ],
    [
      'openai',
      'Rate limit reached in organization org-AbCdEfGhIjKlMnOpQrStUvWx on requests per min',
      'Rate limit reached in organization [hidden] on requests per min',
    ],
    [
      'groq',
      'Rate limit reached for model `llama-3.1-8b-instant` in organization `org_01j5b4pz9jff492fq686vypsx6` service tier `on_demand`',
      'Rate limit reached for model `llama-3.1-8b-instant` in organization `[hidden]` service tier `on_demand`',
    ],
    [
      'moonshotai',
      'Your account org-78cd08fac9804d20bac9a1f02fc1e6a5 / proj-a418892b55d04bbb929766740804aa41 <ak-f94zcrj6ax1111aqsyq1> request reached organization max RPM: 20',
      'Your account [hidden] / [hidden] <[hidden]> request reached organization max RPM: 20',
    ],
    [
      'anthropic',
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: 9d50ef40-6cc8-4ca6-9d35-1dc9cf26235c, model: claude-sonnet-4-6).",
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: [hidden], model: claude-sonnet-4-6).",
    ],
    [
      'xai',
      'Too many requests. Team: 8dec2cd6-0000-4000-8000-3c4d5e6f7a8b, API key ID: 7a1b2c3d-0000-4000-8000-3c4d5e6f7a8b',
      'Too many requests. Team: [hidden], API key ID: [hidden]',
    ],
    [
      'google',
      "Quota exceeded for quota metric 'Requests' of service 'x.googleapis.com' for consumer 'project_number:123456789012'.",
      "Quota exceeded for quota metric 'Requests' of service 'x.googleapis.com' for consumer 'project_number:[hidden]'.",
    ],
    [
      'amazon-bedrock',
      'Too many requests for arn:aws:bedrock:us-east-1:123456789012:inference-profile/x',
      'Too many requests for arn:aws:bedrock:us-east-1:[hidden]:inference-profile/x',
    ],
  ])('names no account of the operator: %s', (id, message, shown) => {
    expect(refusal(id, 429, message)).toMatchObject({ kind: 'rate_limit_exceeded', message: shown });
    expect(errorInAnswer({ message, type: 'rate_limit_error' }, {}, provider(id)).message).toBe(shown);
  });

  it.each([
    'tools.0.name: org-chart and proj_manager are no valid names',
    'messages.0.content: item 9d50ef40-6cc8-4ca6-9d35-1dc9cf26235c is unknown',
    'Call toolu_01A09q90qw90lq917835lq9 has no result',
  ])('keeps the client’s own words: %s', (message) => {
    expect(refusal('openai', 400, message).message).toBe(message);
  });

  it.each([
    [
      'openai',
      429,
      'Request too large for gpt-4.1-2025-04-14 (for limit gpt-4.1) in organization org-lFXO45OIovvTfxhxkzQlewnD on tokens per min (TPM): Limit 30000, Requested 37313. The input or output tokens must be reduced in order to run successfully.',
    ],
    [
      'groq',
      413,
      'Request too large for model `llama-3.3-70b-versatile` in organization `org_01kgg5588eftc8k70aes4864eb` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again.',
    ],
  ])('that is smaller than the request lets another endpoint answer, but not a retry: %s', (id, status, message) => {
    const failure = refusal(id, status, message, 'rate_limit_exceeded');

    expect(failure).toMatchObject({ kind: 'rate_limit_exceeded', mayTryAnother: true, isRequestsFault: true });
    expect(failure.headers).toEqual({ 'x-should-retry': 'false' });
  });

  it('permits a retry if the request fits into the limit', () => {
    const message = 'Rate limit reached on tokens per min (TPM): Limit 30000, Used 29000, Requested 3082.';

    expect(refusal('openai', 429, message, 'rate_limit_exceeded').headers).toEqual({});
  });
});
