/** Errors that can be recognized only by their messages, which differ between providers and change without notice. */

import { describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import type { FaultKind } from '../../../lambdas/providers/faults/fault-rule.ts';
import { classifyError } from '../../../lambdas/providers/faults/classify.ts';
import { overflowMessage } from '../../../lambdas/providers/faults/overflow-message.ts';
import { statedError } from '../../../lambdas/providers/faults/stated-error.ts';

const { providers } = JSON.parse(readFileSync('lambdas/catalog/data/providers.json', 'utf8')) as {
  providers: { id: string }[];
};
const ids = providers.map(({ id }) => id).filter((id) => !id.startsWith('sandbox'));

/** Forms of OpenAI, Google and Amazon, with a code that is less specific than the message. */
const forms: ((message: string) => object)[] = [
  (message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
  (message) => ({ message }),
];

/**
 * Returns the recognized kinds of error over all providers and forms.
 * @param isStreamed whether the error is in a stream
 */
function kindsOf(message: string, isStreamed: boolean): Set<FaultKind> {
  return new Set(
    ids.flatMap((providerId) =>
      forms.map((form) =>
        isStreamed
          ? classifyError(statedError({ ...form(message) }), { providerId, httpStatus: undefined }).fault
          : classifyError(statedError(JSON.stringify(form(message))), { providerId, httpStatus: 400 }).fault,
      ),
    ),
  );
}

const accounts = [
  'Insufficient balance',
  'Insufficient funds in your account',
  'Insufficient credits',
  'Your balance is too low',
  'Your organization has reached its spend limit.',
  "You have exceeded your workspace's monthly spend limit.",
  'The workspace spend limit has been reached. Please contact your admin.',
  'Your billing account has exceeded its monthly spending cap.',
  'Monthly usage limit reached. Increase your spend limit',
  'Weekly spending limit reached for this API key',
  'Daily spend limit exceeded',
  'Billing hard limit has been reached.',
  'Insufficient USD or Diem balance to complete request.',
  'Your wallet balance is insufficient',
  'API key balance depleted. Please recharge.',
  'Cloud credits expired - Please contact NVIDIA representatives',
  'You are out of credits',
  'Your subscription has a failed or incomplete payment. Complete the latest invoice to continue usage.',
  'You have run out of credits or need a subscription.',
  'Not enough credits to complete this request',
  'You have no credits left',
  'Your free quota has been exhausted',
  'Your trial credits have been used up',
  'Please add a payment method to your account',
  'You have reached your budget limit',
  "You've reached your usage limit for this billing cycle. Your quota will be refreshed in the next cycle.",
  'Your account has been suspended due to unpaid invoices',
  'The account has been disabled for violating the terms of service',
  'This account is not authorized to use this model',
  'API key is invalid',
  'This API key is expired',
  'Your API key has been disabled',
  'You do not have permission to access this model',
  'Access to this model requires a paid plan',
  'claude-sonnet-4-20250514 is not available to your organization',
  'The model foo-1 is not enabled for your account',
  'Your IP address is not allowed',
  'Your AWS Marketplace subscription for this model cannot be completed at this time.',
  'The requested model foo-5 requires data retention of 30 days',
];

const models = [
  'Model foo-1 was retired on 2026-10-01',
  'The model foo-1 was shut down on 2026-09-01',
  'foo-1 has been deprecated. Use foo-2 instead',
  '`foo-1-preview` is no longer available',
  'foo-1-turbo was shut down',
  'Model is discontinued',
  'The model foo-1 is sunset',
  'Model foo-1 has been disabled',
  'The requested model foo-1 is currently not supported by this API',
  'No model found: foo-1',
  'Not supported model foo-1',
  'Cannot find model foo-1',
  'We no longer support the model foo-1',
  'model_not_found',
  'The supported API model names are foo-4-pro or foo-4-flash, but you passed foo-chat.',
  'invalid params, unknown model foo-9 (2013)',
  'This is not a chat model and thus not supported in the v1/chat/completions endpoint.',
  'This model is only supported in v1/responses and not in v1/chat/completions.',
];

const overflows = [
  'The input is too long',
  'stream disconnected before completion: Your input exceeds the context window of this model.',
  'Trying to keep the first 111490 tokens when context the overflows. However, the model is loaded with context length of only 32768 tokens, which is not enough.',
  'Input token length too long',
  'tokens in request more than max tokens allowed',
  "total tokens exceeds the model's max of 4096",
  'The request exceeds the maximum number of tokens the model can process: 200000',
  'The sum of prompt tokens and max_tokens must not exceed 131072',
  'The total number of tokens in the prompt exceeds the limit of 8192',
  'prompt length 9000 exceeds max_seq_len 8192',
  'Prompt too large',
  'Request too long: 300000 tokens',
  'Input validation error: inputs must have less than 4096 tokens. Given: 5000',
  'The messages you submitted are too long for the model. Please shorten them',
  'The context window limit has been reached',
  '输入长度超过模型最大长度限制',
  'invalid params, context window exceeds limit (2013)',
  'Unable to submit request because the input token count is 131335 but model only supports up to 131072.',
];

const counted = [
  // https://github.com/infiniflow/ragflow/issues/7060
  'length of prompt_tokens (210000) must be less than max_seq_len (200000).',
  'Prompt token count 210000 exceeds limit 200000',
  'prompt tokens (210000) exceeds the limit of 200000',
  'Your prompt contains 210000 tokens but the model supports at most 200000',
  'This model supports at most 200000 tokens, but 210000 were provided',
  'Your request contains 210000 tokens, which exceeds the limit of 200000',
];

/** Temporary failures, which providers and relays also send with the status of an invalid request. */
const passing: [FaultKind, string][] = [
  // https://github.com/diegosouzapw/OmniRoute/issues/11486
  ['overload', 'Service temporarily overloaded'],
  ['overload', 'The service is temporarily unavailable. Please try again later.'],
  ['overload', 'The server is busy, please try again later'],
  ['overload', 'Model is overloaded'],
  ['overload', 'The model foo-1 is currently overloaded. Please retry.'],
  ['overload', 'The model `foo` is temporarily unavailable'],
  ['overload', 'The upstream server is at capacity'],
  ['overload', 'Upstream service is experiencing high load'],
  ['overload', 'No healthy upstream'],
  ['overload', 'no available channels'],
  ['overload', "We're currently experiencing high demand"],
  ['overload', '当前模型负载过高，请稍后再试'],
  ['overload', '服务器繁忙，请稍后重试'],
  // https://github.com/diegosouzapw/OmniRoute/pull/4986
  ['rate', 'Detected high-frequency non-compliant requests from you.'],
  ['rate', 'Rate limit exceeded, try again in 20s'],
  ['rate', 'API rate limit reached'],
  ['rate', 'Too many requests'],
  ['rate', 'Too many concurrent requests for this account'],
  ['rate', 'You have exceeded the request rate limit'],
  ['rate', 'Your requests are being throttled'],
  ['rate', '请求过于频繁'],
  // https://github.com/ENTERPILOT/GoModel/issues/605
  ['timeout', 'Upstream request timed out'],
  ['timeout', 'upstream timeout'],
  ['timeout', 'The model gateway timed out'],
  ['timeout', 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'],
  ['failure', 'Internal server error'],
  ['failure', 'An unexpected error occurred.'],
  ['failure', 'Upstream error: 503'],
  ['failure', 'Bad gateway'],
  ['failure', 'Connection error.'],
  // https://github.com/BerriAI/litellm/issues/41777
  ['failure', 'stream disconnected before completion: stream closed before response.completed'],
  ['failure', 'unexpected EOF'],
  ['failure', 'read tcp 203.0.113.7:443: connection reset by peer'],
];

/** Limits that another provider of the same model may not have. */
const limits = [
  // https://github.com/boto/boto3/issues/4632
  'The model returned the following errors: too many images and documents: 19 + 5 > 20',
  // https://github.com/anthropics/claude-code/issues/3397
  'Too much media: 0 document pages + 103 images > 100',
  'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes',
  'messages.3.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  'messages.1.content.0.pdf.source.base64: A maximum of 100 PDF pages may be provided.',
  // https://github.com/HybridAIOne/hybridclaw/issues/1534
  "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 180 instead.",
  'The number of tools exceeds the limit of 128',
  'Invalid request: tools number exceeds the limit 128',
  // https://github.com/vllm-project/vllm/issues/13513
  'At most 1 image(s) may be provided in one request.',
  "Invalid schema for response_format 'answer': 6 levels of nesting exceeds limit of 5.",
  'The specified schema produces a constraint that has too many states for serving.',
  'Schema is too complex for compilation. Try reducing the number of tools or simplifying tool schemas.',
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
  'max_tokens must be at most 8192: this model supports at most 8192 tokens, but 9000 were provided',
  // https://github.com/cline/cline/issues/13229
  'max_tokens=32000 cannot be greater than max_model_len=max_total_tokens=28672. Please request fewer output tokens. (parameter=max_tokens, value=32000)',
  // https://github.com/cline/cline/issues/8337
  'max_tokens (current value: 65536) must be between 0 and 32768 ',
  // https://github.com/DaviRain-Su/hyper-grok-build/issues/44
  "max_tokens (384000) exceeds model's maximum output tokens (65536) for model deepseek-v4-flash:0731",
  // https://github.com/NousResearch/hermes-agent/pull/51793
  'The parameter `max_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 32768, but got 65536 instead.',
  // https://github.com/BerriAI/litellm/pull/37365
  'The maximum tokens you requested exceeds the model limit of 128000. Try again with a maximum tokens value that is lower than 128000.',
  '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
  'Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive).',
];

/** A client can correct these errors, although their messages contain similar words. */
const requests = [
  'The input image is too large',
  'temperature is deprecated for this model',
  'top_k is no longer supported',
  'budget_tokens must be less than max_tokens',
  'You have exceeded the thinking budget of this model',
  "messages.0.content: 'your account has been suspended'",
  'messages.3: the model foo-1 does not exist',
  'messages.2.content: prompt too large',
  "messages.0.content: 'server is overloaded'",
  'Timed out while downloading image',
  'Request timed out while downloading the image https://example.com/1.png',
  'Internal error: Invalid schema for function foo',
  'rate_limit is not a valid field',
  'Unexpected error type in tool result',
  'No available tools match tool_choice',
  'No available server tool is named foo',
  'Too many requests in batch: maximum 100',
  'Rate limit: invalid parameter',
  'High load parameters are invalid',
];

describe('an error that is known only by its words', () => {
  it.each(accounts)('is the operator’s at every provider: %s', (message) => {
    for (const isStreamed of [false, true]) expect([...kindsOf(message, isStreamed)]).toEqual(['operator']);
  });

  it.each(models)('is the catalog’s at every provider: %s', (message) => {
    for (const isStreamed of [false, true]) expect([...kindsOf(message, isStreamed)]).toEqual(['catalog']);
  });

  it.each([...overflows, ...counted])('is a prompt that is too long at every provider: %s', (message) => {
    for (const isStreamed of [false, true]) expect([...kindsOf(message, isStreamed)]).toEqual(['context']);
  });

  it.each(counted)('has the provider’s numbers in the text that agents recognize: %s', (message) => {
    const classified = classifyError(statedError({ message }), { providerId: 'acme', httpStatus: 400 });

    const begun = `prompt is too long: 210000 tokens > 200000 maximum. ${message}`;
    expect(overflowMessage(classified, message).slice(0, begun.length)).toBe(begun);
  });

  it.each(passing)('is a passing failure (%s) at every provider: %s', (kind, message) => {
    expect([...kindsOf(message, false)]).toEqual([kind]);
    for (const httpStatus of [403, 404, 422]) {
      expect(classifyError(statedError({ message }), { providerId: 'acme', httpStatus }).fault).toBe(kind);
    }
  });

  it.each([
    'The service is currently unavailable in your country',
    'The model foo-1 is temporarily unavailable for your account',
  ])('stays the operator’s with status 403, although a word means a passing failure: %s', (message) => {
    expect(classifyError(statedError({ message }), { providerId: 'acme', httpStatus: 403 }).fault).toBe('operator');
  });

  it.each([
    'Failed to download model files',
    'Error fetching the file of the tokenizer',
    'failed to fetch url of the inference server',
  ])('is the provider’s if the provider cannot read its own files: %s', (message) => {
    expect(classifyError(statedError({ message }), { providerId: 'acme', httpStatus: 500 }).fault).toBe('failure');
  });

  it.each(limits)('is a limit that another provider may not have, at every provider: %s', (message) => {
    expect([...kindsOf(message, false)]).toEqual(['elsewhere']);
  });

  it('is a rate limit, although it counts images', () => {
    const error = statedError({ message: 'Too many images per minute' });
    expect(classifyError(error, { providerId: 'acme', httpStatus: 429 }).fault).toBe('rate');
  });

  it.each(requests)('stays the client’s at every provider: %s', (message) => {
    expect([...kindsOf(message, false)]).toEqual(['request']);
  });

  it.each([
    'Request payload size exceeds the limit: 20971520 bytes. Please use the File API',
    'Request body too large',
    'Payload exceeds 32 MB',
  ])('is a size error at every provider: %s', (message) => {
    expect([...kindsOf(message, false)]).toEqual(['size']);
  });

  it.each([
    'Your account has exceeded its rate limit',
    'Your organization has reached its requests per minute limit',
    'This request exceeds the limit of 30000 tokens per minute',
    'Too many tokens per minute',
  ])('is a rate limit with status 429: %s', (message) => {
    const kinds = ids.map(
      (providerId) => classifyError(statedError({ message }), { providerId, httpStatus: 429 }).fault,
    );

    expect([...new Set(kinds)]).toEqual(['rate']);
  });
});

describe('words next to a code', () => {
  it.each([
    [
      'anthropic',
      429,
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Usage credits are required for long context requests.' },
      },
      'operator',
    ],
    [
      'anthropic',
      429,
      {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Your organization has reached its monthly spend limit' },
      },
      'operator',
    ],
    [
      'google',
      429,
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'Your billing account has exceeded its monthly spending cap.',
        },
      },
      'operator',
    ],
    ['zai', 400, { error: { code: '1210', message: 'tokens in request more than max tokens allowed' } }, 'context'],
    ['zai', 400, { error: { code: '1210', message: 'The temperature is out of range' } }, 'request'],
    [
      'minimax',
      undefined,
      { base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit (2013)' } },
      'context',
    ],
    [
      'minimax',
      undefined,
      { base_resp: { status_code: 2013, status_msg: 'invalid params, messages is empty (2013)' } },
      'request',
    ],
    ['minimax', undefined, { base_resp: { status_code: 1027, status_msg: 'output new_sensitive' } }, 'request'],
    [
      'minimax',
      429,
      { error: { type: 'rate_limit_error', message: 'usage limit exceeded, 5-hour usage limit reached (2056)' } },
      'rate',
    ],
    [
      'amazon-bedrock',
      404,
      {
        message:
          'Access denied. This Model is marked by provider as Legacy and you have not been actively using the model in the last 15 days.',
      },
      'catalog',
    ],
    [
      'openrouter',
      404,
      { error: { code: 404, message: 'acme/foo:free is unavailable for free. The paid version is available now' } },
      'catalog',
    ],
    [
      'google-vertex',
      429,
      {
        error: {
          code: 429,
          status: 'RESOURCE_EXHAUSTED',
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      },
      'context',
    ],
    [
      'litellm',
      502,
      { error: { message: 'litellm.APIError: prompt is too long: 210000 tokens > 200000 maximum' } },
      'context',
    ],
    [
      'acme',
      503,
      {
        error: {
          message: "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
          type: 'service_unavailable',
        },
      },
      'context',
    ],
    [
      'groq',
      400,
      {
        error: {
          message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
          type: 'invalid_request_error',
          code: 'tool_use_failed',
        },
      },
      'failure',
    ],
    [
      'groq',
      400,
      {
        error: {
          message: 'Parsing failed. The model generated output that could not be parsed. Please adjust your prompt.',
          type: 'invalid_request_error',
          code: 'output_parse_failed',
        },
      },
      'failure',
    ],
    [
      'groq',
      400,
      {
        error: {
          message: 'Failed to generate JSON. Please adjust your prompt.',
          type: 'invalid_request_error',
          code: 'json_validate_failed',
        },
      },
      'failure',
    ],
    [
      'openai',
      500,
      {
        error: { message: 'The model produced invalid content. Consider modifying your prompt.', type: 'model_error' },
      },
      'failure',
    ],
    [
      'acme',
      403,
      { error: { message: 'Your request was flagged as potentially violating our usage policy.' } },
      'request',
    ],
    ['acme', 403, { error: { message: 'The prompt was blocked by the safety system: harmful content' } }, 'request'],
    ['acme', 403, { error: { message: 'Content policy violation detected' } }, 'request'],
    ['acme', 403, { error: { message: 'Your request was rejected: the key has no access' } }, 'operator'],
    // The relay reports only that its provider failed (https://github.com/damianvtran/local-operator/pull/288,
    // https://github.com/ENTERPILOT/GoModel/issues/605).
    ['openrouter', 400, { error: { message: 'Provider returned error', code: 400 } }, 'failure'],
    [
      'openrouter',
      400,
      { error: { message: 'Provider returned error', code: 400, metadata: { raw: 'ERROR', provider_name: 'X' } } },
      'failure',
    ],
    ['acme', 400, { error: { message: 'Provider returned error', metadata: { raw: '"ERROR"' } } }, 'failure'],
    ['acme', 400, { error: { message: 'Upstream request failed', type: 'upstream_error' } }, 'failure'],
    [
      'acme',
      400,
      {
        error: {
          message: 'Error from provider (Console Go): Upstream request failed',
          type: 'invalid_request_error',
          code: 'invalid_request_error',
        },
      },
      'failure',
    ],
    ['acme', 429, { error: { message: 'Provider returned error' } }, 'rate'],
    [
      'openrouter',
      400,
      { error: { message: 'Provider returned error', metadata: { raw: '{"error":{"message":"Invalid schema"}}' } } },
      'request',
    ],
    ['acme', 400, { error: { message: 'tools are not supported by the upstream provider' } }, 'request'],
    ['acme', 400, { error: 'Bad Request' }, 'elsewhere'],
    // A safety filter refuses the prompt in a stream without a status
    // (https://github.com/router-for-me/CLIProxyAPI/issues/4854).
    [
      'openai',
      undefined,
      { type: 'error', code: 'cyber_policy', message: 'This content was flagged for possible cybersecurity risk.' },
      'request',
    ],
    [
      'azure',
      undefined,
      { message: 'Your request was flagged for possible cybersecurity risk and was not completed' },
      'request',
    ],
    // https://github.com/block/buzz/issues/3018
    [
      'openrouter',
      404,
      { error: { message: 'No endpoints found that can handle the requested parameters.', code: 404 } },
      'elsewhere',
    ],
    ['acme', 451, { error: { message: 'Unavailable For Legal Reasons' } }, 'operator'],
    ['acme', 407, {}, 'operator'],
    ['cohere', 498, { message: 'invalid token' }, 'operator'],
  ] as const)('of %s with status %j count: %j', (providerId, httpStatus, body, kind) => {
    expect(classifyError(statedError(body), { providerId, httpStatus }).fault).toBe(kind);
  });
});
