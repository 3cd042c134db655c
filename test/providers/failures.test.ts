import { afterEach, describe, expect, it, vi } from 'vitest';
import { RefusedCredential } from '../../lambdas/providers/authorization/refused-credential.ts';
import {
  describeFailure,
  errorInAnswer,
  failureOf,
  logBrokenAnswer,
  ProviderFailure,
  refusalOfResponse,
} from '../../lambdas/providers/failures.ts';
import { UpstreamError, type UpstreamFailure } from '../../lambdas/providers/http/upstream-error.ts';
import { keepLog } from '../support/log-lines.ts';

const provider = { id: 'acme', name: 'Acme', baseUrl: 'https://api.acme.example/v1', credential: 'acme-secret-1' };

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const refusal = (status: number, message = 'No.', headers: Record<string, string> = {}) =>
  refusalOfResponse({ status, headers }, JSON.stringify({ error: { message } }), provider);

const badHeader = Object.assign(new TypeError('Invalid character in header content'), { code: 'ERR_INVALID_CHAR' });

const inAnswer = (error: unknown) => errorInAnswer(error, {}, provider);

const thrown = (failure: UpstreamFailure) => failureOf(new UpstreamError(failure, 'It went wrong'), provider);

/** Returns the header by which clients decide whether to retry. */
const advice = ({ headers }: ProviderFailure) => headers['x-should-retry'];

describe('an error response of a provider', () => {
  it.each([
    [400, 'invalid_request', 400, false],
    [422, 'invalid_request', 400, false],
    [413, 'payload_too_large', 413, false],
    [429, 'rate_limit_exceeded', 429, true],
    [408, 'timeout', 504, true],
    [504, 'timeout', 504, true],
    [503, 'provider_overloaded', 529, true],
    [529, 'provider_overloaded', 529, true],
    [401, 'provider_unavailable', 502, true],
    [402, 'provider_unavailable', 502, true],
    [403, 'provider_unavailable', 502, true],
    [404, 'provider_unavailable', 502, true],
    [500, 'provider_unavailable', 502, true],
    [302, 'provider_unavailable', 502, true],
    [418, 'provider_unavailable', 502, true],
  ])('with status %i is %s (%i), with another endpoint permitted: %s', (theirs, kind, status, mayTryAnother) => {
    expect(refusal(theirs)).toMatchObject({
      kind,
      status,
      mayTryAnother,
      metadata: { provider_name: 'Acme', provider_status: theirs },
    });
  });

  it.each([
    ['request-id', 'req_011CSHoEeqs5C35K2UUqR7Fy'],
    ['x-request-id', 'c9aef5f8b2a04a3f'],
    ['x-amzn-requestid', '7a62c49f-347e-4fc4-9331-6e8e7a96aa73'],
    ['apim-request-id', '4c1ee1c9-6a0b-4e6c-a1c3-9a3b2c1d0e4f'],
  ])('is logged with the provider’s id of the request, from %s', (header, id) => {
    const headers = { [header]: id };

    expect(describeFailure(refusal(500, 'No.', headers))).toMatchObject({ providerRequestId: id });
    expect(describeFailure(refusal(401, 'No.', headers))).toMatchObject({ providerRequestId: id });
    expect(describeFailure(errorInAnswer({ message: 'No.' }, headers, provider))).toMatchObject({
      providerRequestId: id,
    });
  });

  it('in the middle of an answer alerts the operator if only the operator can fix it', () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const lines = keepLog();

    logBrokenAnswer(inAnswer({ type: 'billing_error', message: 'Out of credit' }), { provider: 'acme' });
    logBrokenAnswer(inAnswer({ type: 'overloaded_error', message: 'Overloaded' }), { provider: 'acme' });

    expect(lines.map(({ message }) => message).filter((message) => message?.startsWith('provider'))).toEqual([
      'provider broke off its answer',
      'provider refuses the operator',
      'provider broke off its answer',
    ]);
  });

  it.each(['the words of a prompt', 'x'.repeat(101), ''])('is logged without an id that may be text: %j', (text) => {
    expect(describeFailure(refusal(500, 'No.', { 'x-request-id': text }))).not.toHaveProperty('providerRequestId');
  });

  it('is classified by its body if its status names the wrong cause', () => {
    const failure = refusalOfResponse(
      { status: 400, headers: {} },
      '{"error":{"code":"invalid_api_key","message":"Bad key"}}',
      provider,
    );

    expect(failure).toMatchObject({ kind: 'provider_unavailable', status: 502, mayTryAnother: true });
  });

  it.each([
    [{}, '35'],
    [{ 'retry-after': '7' }, '7'],
  ])('has a retry time from its headers %j or its body', (headers, seconds) => {
    const failure = refusalOfResponse(
      { status: 429, headers },
      '{"error":{"message":"Slow down","details":[{"retryDelay":"34.2s"}]}}',
      provider,
    );

    expect(failure.headers).toMatchObject({ 'retry-after': seconds });
  });

  it('has the message of the provider, without secrets', () => {
    const { message } = refusal(429, 'Slow down, acme-secret-1 at https://api.acme.example/v1');

    expect(message).toBe('Slow down, [hidden] at [hidden]/v1');
  });

  it.each([401, 402, 403, 404])('with status %i has no retry time for clients', (status) => {
    expect(refusal(status, 'No.', { 'retry-after': '7' }).headers).toEqual({ 'x-should-retry': 'false' });
  });

  it.each([
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'tools'], msg: 'Extra inputs are not permitted' }] },
    { object: 'error', message: { detail: [{ loc: ['body', 'tools'], msg: 'Extra inputs are not permitted' }] } },
  ])('names the wrong field of the request: %j', (body) => {
    const { message } = refusalOfResponse({ status: 422, headers: {} }, JSON.stringify(body), provider);

    expect(message).toBe('Extra inputs are not permitted (body.tools)');
  });

  it.each([
    ['the explanation', 'tools contains duplicate names: x', 'Param Incorrect: tools contains duplicate names: x'],
    ['no name of a field', 'messages[0].role', 'Param Incorrect'],
  ])('has %s of `param`, as Xiaomi states it (decolua/9router#1210)', (_, param, stated) => {
    const body = `data:${JSON.stringify({ error: { code: '400', message: 'Param Incorrect', param, type: '' } })}`;

    expect(refusalOfResponse({ status: 400, headers: {} }, body, provider).message).toBe(stated);
  });

  it.each([401, 402, 403, 404])('with status %i concerns the operator, so its message is not passed on', (status) => {
    const failure = refusal(status, 'Your account 4711 is overdue');

    expect(failure.message).toBe(
      `Acme refused the credential or account of the gateway (status ${status}). Contact the gateway's operator.`,
    );
    expect(advice(failure)).toBe('false');
  });

  it.each([
    [new RefusedCredential('No such account'), 'operator', 'false'],
    [badHeader, 'operator', 'false'],
    [new Error('The token address is busy'), undefined, undefined],
  ])(
    'for lack of authorization is the fault of the operator only if the credential is wrong: %s',
    (cause, fault, retry) => {
      const failure = failureOf(new UpstreamError('unauthorized', 'Not authorized', cause), provider);

      expect(failure).toMatchObject({ fault, mayTryAnother: true, status: 502 });
      expect(failure.isOperators).toBe(fault === 'operator');
      expect(advice(failure)).toBe(retry);
    },
  );

  it('passes on the retry time', () => {
    expect(refusal(429, 'No.', { 'retry-after': '30' }).headers).toEqual({ 'retry-after': '30' });
  });

  it.each([
    [{ 'retry-after': '287441' }, '287441'],
    [{ 'retry-after': '2678400' }, '2678400'],
    [{ 'retry-after': '1.2' }, '2'],
    [{ 'retry-after': '0' }, '0'],
    [{ 'retry-after': '2m0.5s' }, '121'],
    [{ 'retry-after': 'Thu, 26 Nov 2026 10:01:30 GMT' }, '90'],
    [{ 'retry-after': 'Thu, 26 Nov 2026 09:00:00 GMT' }, '0'],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, '2'],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, '9'],
    [
      {
        'x-ratelimit-reset-requests': '1h2m3.5s',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-tokens': '6s',
      },
      '3724',
    ],
    [{ 'x-ratelimit-reset-requests': '23h59m', 'x-ratelimit-reset-tokens': '120ms' }, '1'],
    [{ 'x-ratelimit-reset': '1795687230' }, '30'],
    [{ 'x-ratelimit-reset': '1795687230000' }, '30'],
    [
      { 'anthropic-ratelimit-requests-reset': '2026-11-26T10:02:00Z', 'anthropic-ratelimit-requests-remaining': '0' },
      '120',
    ],
  ])('has a retry time in whole seconds from %j: %s', (headers, seconds) => {
    vi.setSystemTime('2026-11-26T10:00:00Z');

    expect(refusal(429, 'No.', headers as Record<string, string>).headers).toEqual({ 'retry-after': seconds });
  });

  it.each(['soon', '-1', '', '2678401', '1e3', 'Infinity', '9'.repeat(400)])(
    'has no retry time from the invalid Retry-After: %j',
    (retryAfter) => {
      expect(refusal(429, 'No.', { 'retry-after': retryAfter }).headers).toEqual({});
    },
  );

  it.each([
    [{ error: { code: 'x', message: 'Slow down', retry_after: 30 } }, '30'],
    [{ error: { message: 'Slow down', retry_after_ms: 1_500 } }, '2'],
    [{ error: { message: 'Slow down', metadata: { retry_after_seconds: 12.5 } } }, '13'],
    [{ error: { type: 'usage_limit_reached', message: 'Slow down', resets_in_seconds: 3_600 } }, '3600'],
    [{ error: { message: 'Slow down', details: [{ retryDelay: { seconds: 7, nanos: 500_000_000 } }] } }, '8'],
    [
      { error: { code: 429, message: 'Slow down', metadata: { headers: { 'X-RateLimit-Reset': '1795687230000' } } } },
      '30',
    ],
    [{ error: { code: 429, message: 'Slow down', metadata: { headers: { 'Retry-After': '45' } } } }, '45'],
    [{ error: { message: 'Rate limit reached for gpt-5. Please try again in 1m30s. Visit your limits.' } }, '90'],
    [{ error: { message: 'Rate limit reached. Please try again in 20ms.' } }, '1'],
    [{ error: { message: 'You exceeded your current quota, limit: 10\nPlease retry in 31.41s.' } }, '32'],
    [{ error: { message: 'You have exceeded token rate limit. Please retry after 7 seconds.' } }, '7'],
    [{ error: { message: 'max organization concurrency: 3, please try again after 1 seconds' } }, '1'],
    [{ statusCode: 429, message: 'Rate limit is exceeded. Try again in 2 minutes and 30 seconds.' }, '150'],
    [{ message: 'Please wait 27 seconds before retrying.' }, '27'],
    [{ message: '5-hour usage limit reached (0/0 used), resets at 2026-11-26T15:00:00Z (2056)' }, '18000'],
    [{ message: 'usage limit exceeded, resets at 2026-11-26T20:00:00+08:00 (2056)' }, '7200'],
  ])('has a retry time from its body %j: %s', (body, seconds) => {
    vi.setSystemTime('2026-11-26T10:00:00Z');

    expect(refusalOfResponse({ status: 429, headers: {} }, JSON.stringify(body), provider).headers).toEqual({
      'retry-after': seconds,
    });
  });

  it.each([
    [{ 'x-ms-retry-after-ms': '1500' }, '2'],
    [{ 'retry-after': '30 seconds' }, '30'],
    [{ 'ratelimitbysize-reset': '41' }, '41'],
    [{ 'x-rate-limit-reset': '12' }, '12'],
    [
      {
        'x-ratelimit-reset-requests-day': '33011.38',
        'x-ratelimit-remaining-requests-day': '0.0',
        'x-ratelimit-reset-tokens-minute': '11.4',
      },
      '33012',
    ],
  ])('has a retry time from headers of other providers, %j: %s', (headers, seconds) => {
    expect(refusal(429, 'No.', headers as Record<string, string>).headers).toEqual({ 'retry-after': seconds });
  });

  it('has the retry time of its header rather than that of its message, whose time is ignored with status 500', () => {
    const words = 'Please try again in 20s.';

    expect(refusal(429, words, { 'retry-after': '3' }).headers).toEqual({ 'retry-after': '3' });
    expect(refusal(503, words).headers).toEqual({ 'retry-after': '20' });
    expect(refusal(500, words).headers).toEqual({});
  });

  it.each(['Rate limit exceeded: 5 per 1 minute', 'Try again later. You sent 20s of audio', 'Please retry 3 times'])(
    'has no retry time from the message %j',
    (words) => {
      expect(refusal(429, words).headers).toEqual({});
    },
  );

  it('has no retry time from the end of a rate window with status 500', () => {
    expect(refusal(500, 'No.', { 'x-ratelimit-reset-requests': '9s' }).headers).toEqual({});
  });

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens.",
    'Input tokens exceed the configured limit',
    'The request exceeds the context window',
    'Range of input length should be [1, 30720]',
    'Too many tokens in input: too many input tokens',
  ])('about the length of the prompt is recognized: %s', (words) => {
    expect(refusal(400, words).kind).toBe('context_length_exceeded');
  });

  it.each([
    ['Your request exceeded model token limit: 262144 (requested: 290000)', ' 290000 tokens > 262144 maximum.'],
    [
      'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      ' 1196265 tokens > 1048575 maximum.',
    ],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      ' 537812 tokens > 131072 maximum.',
    ],
    ['request (124071 tokens) exceeds the available context size (123904 tokens)', ' 124071 tokens > 123904 maximum.'],
    [
      "This model's maximum context length is 1,048,565 tokens. However, you requested 1,250,025 tokens",
      ' 1250025 tokens > 1048565 maximum.',
    ],
    [
      'too many tokens: size limit exceeded by 25836 tokens. The limit for this model is 288000 tokens.',
      ' 313836 tokens > 288000 maximum.',
    ],
    ["This model's maximum context length is 8192 tokens.", ''],
    ['Input is too long for requested model.', ''],
    ['Range of input length should be [1, 30720]', ''],
  ])(
    'about the length of the prompt begins with the text that agents know, with numbers if available: %s',
    (words, numbers) => {
      const begun = `prompt is too long:${numbers} ${words}`;
      expect(refusal(400, words).message.slice(0, begun.length)).toBe(begun);
    },
  );

  it.each([
    "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104)",
    "This model's maximum context length is 4096 tokens. However, you requested 4104 tokens (2104 in the messages, 2000 in the completion).",
  ])(
    'about a prompt that leaves too little room for the answer has the text on which agents request less output: %s',
    (words) => {
      const begun = `input length and \`max_tokens\` exceed context limit: 2104 + 2000 > 4096, decrease input length or \`max_tokens\` and try again. ${words}`;
      expect(refusal(400, words).message.slice(0, begun.length)).toBe(begun);
    },
  );

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    'prompt is too long',
    'input length and `max_tokens` exceed context limit: 195000 + 21333 > 200000, decrease input length or `max_tokens` and try again',
  ])('about the length of the prompt keeps its beginning if agents know its text: %s', (words) => {
    const { kind, message } = refusal(400, words);

    expect(kind).toBe('context_length_exceeded');
    expect(message.slice(0, words.length)).toBe(words);
  });

  it.each([
    'prompt is too long: 210000 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens.",
    'Your input exceeds the context window of this model.',
  ])('about the length of the prompt has the words by which LangChain and Pydantic AI recognize it: %s', (words) => {
    const { message } = refusal(400, words);

    expect(message).toContain('exceeds the context window');
    expect(message).toContain('maximum context length');
  });

  it.each(['max_tokens: must be at least 1', 'The tool "context" is unknown'])(
    'about another field is not about length: %s',
    (words) => {
      expect(refusal(400, words).kind).toBe('invalid_request');
    },
  );
});

describe('an error event in an answer', () => {
  it.each([
    ['overloaded_error', 'provider_overloaded'],
    ['rate_limit_error', 'rate_limit_exceeded'],
    ['invalid_request_error', 'invalid_request'],
    ['authentication_error', 'provider_unavailable'],
    ['api_error', 'provider_unavailable'],
    ['teapot_error', 'provider_unavailable'],
  ])('of type %s is classified like its status: %s', (type, kind) => {
    expect(inAnswer({ type, message: 'No.' }).kind).toBe(kind);
  });

  it('has its message', () => {
    expect(inAnswer('It broke').message).toBe('It broke');
    expect(inAnswer({ type: 'overloaded_error', message: 'Too busy' }).message).toBe('Too busy');
  });

  it.each([undefined, null, '', 5, [], {}, { message: '' }, { message: 5, type: 5 }])(
    'without content is a failure as well: %j',
    (error) => {
      expect(inAnswer(error)).toMatchObject({
        kind: 'provider_unavailable',
        message: 'The provider stopped with an error',
      });
    },
  );
});

describe("an exception during a provider's answer", () => {
  it.each<[UpstreamFailure, string, boolean]>([
    ['connect', 'provider_unavailable', true],
    ['broken', 'provider_unavailable', true],
    ['malformed', 'provider_unavailable', true],
    ['aborted', 'provider_unavailable', false],
    ['connect_timeout', 'timeout', true],
    ['first_byte_timeout', 'timeout', true],
    ['idle_timeout', 'timeout', true],
  ])('%s is %s, with another endpoint permitted: %s', (failure, kind, mayTryAnother) => {
    expect(thrown(failure)).toMatchObject({ kind, mayTryAnother, message: 'It went wrong (Acme).' });
  });

  it.each<[string, object]>([
    ['ENOTFOUND', { cause: { code: 'ENOTFOUND' } }],
    ['CERT_HAS_EXPIRED', { cause: { code: 'CERT_HAS_EXPIRED' } }],
    ['connect', { cause: { code: 'secrets of the prompt' } }],
    ['connect', { cause: { code: 7 } }],
    ['connect', {}],
  ])('is recorded as the word %s, never as a text: %j', (word, { cause }: { cause?: unknown }) => {
    const failure = failureOf(new UpstreamError('connect', 'It went wrong', cause), provider);

    expect(failure.word).toBe(word);
    expect(describeFailure(failure).reason).toBe(word === 'connect' ? word : `connect ${word}`);
  });

  it.each([
    [401, 'authentication'],
    [404, 'not_found'],
    [429, 'rate_limit_exceeded'],
    [503, 'provider_overloaded'],
    [529, 'provider_overloaded'],
    [500, 'server'],
    [418, 'provider_unavailable'],
  ])('is recorded as the word of its status %s: %s', (status, word) => {
    expect(refusal(status, 'a text that may repeat the prompt').word).toBe(word);
  });

  it('is recorded as malformed if the decoder of the gateway has failed', () => {
    expect(failureOf(new TypeError('x is not a function'), provider).word).toBe('malformed');
  });

  it('may be charged after a silence only if the provider had begun to answer', () => {
    expect([thrown('idle_timeout'), thrown('first_byte_timeout')].map(({ wasSilent }) => wasSilent)).toEqual([
      true,
      false,
    ]);
  });

  it('may be charged as an answer, and must not be retried, if the answer was too large but not if it was malformed', () => {
    const failures = [thrown('too_large'), thrown('malformed')];

    expect(failures.map(({ wasAnswered }) => wasAnswered)).toEqual([true, false]);
    expect(failures.map(advice)).toEqual(['false', undefined]);
  });

  it('is not to be retried after a timeout, which would take as long again', () => {
    expect([thrown('idle_timeout'), thrown('broken')].map(advice)).toEqual(['false', undefined]);
  });

  it('is a failure of the provider, and its own message is not passed on', () => {
    const cause = new TypeError('secret detail');

    const failure = failureOf(cause, provider);

    expect(failure).toBeInstanceOf(ProviderFailure);
    expect(failure).toMatchObject({
      kind: 'provider_unavailable',
      mayTryAnother: true,
      message: 'Acme sent an answer that cannot be read.',
      cause,
    });
  });

  it('is unchanged if it is a classified failure', () => {
    const failure = refusal(429);

    expect(failureOf(failure, provider)).toBe(failure);
  });
});
