/**
 * Errors from bug reports and documentation that are easily blamed on the wrong party, with the kind of fault and the
 * client's status.
 */

import { describe, expect, it, vi } from 'vitest';
import type { FaultKind } from '../../../lambdas/providers/faults/fault-rule.ts';
import { errorInAnswer, refusalOfResponse } from '../../../lambdas/providers/failures.ts';

type Row = [provider: string, status: number, body: object, fault: FaultKind, clientStatus: number];

const providerOf = (id: string) => ({ id, name: id, baseUrl: `https://${id}.example/v1`, credential: 'secret-1' });
const openai = (message: string, code: string | null = null, type = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const elevenlabs = (status: string, message: string) => ({ detail: { status, message } });
const google = (message: string) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
const deepgram = (err_code: string, err_msg: string) => ({ err_code, err_msg, request_id: 'r' });

const rows: Row[] = [
  // The client chose a voice that does not exist: https://elevenlabs.io/docs/developers/resources/error-messages
  ['elevenlabs', 404, elevenlabs('voice_not_found', 'A voice with the voice_id foo was not found.'), 'request', 400],
  ['mistral', 404, { object: 'error', message: 'Voice not found', type: 'not_found', code: '404' }, 'request', 400],
  ['xai', 404, { code: 'Some requested entity was not found', error: "Voice 'bob' not found" }, 'request', 400],
  ['acme', 404, { error: { message: "The voice 'bob' does not exist" } }, 'request', 400],
  // https://github.com/crmitchelmore/justspeaktoit/pull/107
  ['deepgram', 400, deepgram('Bad Request', 'No such model/version combination found.'), 'request', 400],
  // https://github.com/receptron/mulmocast-app/issues/1466
  [
    'elevenlabs',
    400,
    elevenlabs('voice_limit_reached', 'You have reached your maximum amount of custom voices (10 / 10).'),
    'operator',
    502,
  ],
  // https://github.com/NousResearch/hermes-agent/pull/52869
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', "You're out of extra usage. Add more at claude.ai/settings/usage."),
    'operator',
    502,
  ],
  // Another attempt may succeed: https://github.com/cohere-ai/notebooks/issues/237
  ['cohere', 422, { message: 'No valid tool call or response generated' }, 'failure', 502],
  // https://docs.cohere.com/reference/errors
  [
    'cohere',
    400,
    { message: 'too many tokens: max tokens must be less than or equal to 4096, the maximum output - received 8192.' },
    'elsewhere',
    400,
  ],
  // https://github.com/home-assistant/core/issues/160414
  ['elevenlabs', 401, elevenlabs('quota_exceeded', 'This request exceeds your quota of 10000.'), 'operator', 502],
  ['elevenlabs', 400, elevenlabs('quota_exceeded', 'This request exceeds your quota of 10000.'), 'operator', 502],
  // https://help.elevenlabs.io/hc/en-us/articles/19572237925521
  [
    'elevenlabs',
    401,
    elevenlabs('max_character_limit_exceeded', "This request's text has 627 characters and exceeds the limit of 333."),
    'request',
    400,
  ],
  // The same request may succeed: https://ai.google.dev/gemini-api/docs/speech-generation
  ['google', 400, google('Model tried to generate text, but it should only be used for TTS.'), 'failure', 502],
  // https://github.com/ammaarreshi/openjourney/issues/1
  ['google', 400, google('Imagen API is only accessible to billed users at this time.'), 'operator', 502],
  // https://docs.venice.ai/api-reference/error-codes
  ['venice', 404, { error: 'Specified model not found' }, 'catalog', 502],
  // https://github.com/pollinations/pollinations/pull/11722
  [
    'elevenlabs',
    403,
    elevenlabs('content_against_policy', 'The text you are trying to use may violate our Terms of Service'),
    'request',
    400,
  ],
  ['acme', 403, { message: 'Your text was rejected: it violates our Terms of Service' }, 'request', 400],
  ['acme', 500, openai('Your request was rejected as a result of our safety system.'), 'request', 400],
  ['xai', 500, { code: 'internal', error: 'Generated image rejected by content moderation.' }, 'request', 400],
  // https://github.com/hackerai-tech/hackerai/pull/632
  [
    'openrouter',
    403,
    { error: { message: 'Provider returned error', code: 403, metadata: { raw: 'PROHIBITED_CONTENT' } } },
    'request',
    400,
  ],
  // https://github.com/NousResearch/hermes-agent/issues/90177
  [
    'openrouter',
    403,
    {
      error: {
        message: 'Request blocked: prompt injection patterns detected',
        code: 403,
        metadata: { patterns: ['role_delimiter_injection'], provider_name: null },
      },
    },
    'elsewhere',
    400,
  ],
  // Errors in the form of Deepgram: https://developers.deepgram.com/docs/errors
  ['deepgram', 400, deepgram('Bad Request', 'Bad Request: failed to process audio: corrupt data'), 'request', 400],
  [
    'deepgram',
    402,
    deepgram('ASR_PAYMENT_REQUIRED', 'Project does not have enough credits for an ASR request.'),
    'operator',
    502,
  ],
  [
    'deepgram',
    400,
    deepgram('Bad Request', 'Project does not have enough credits for an ASR request.'),
    'operator',
    502,
  ],
  ['deepgram', 429, deepgram('TOO_MANY_REQUESTS', 'Too many requests. Please try again later'), 'rate', 429],
  // https://github.com/BerriAI/litellm/pull/28622
  [
    'openai',
    400,
    openai(
      'Attempted to access resource with incorrect regional hostname. Please make your request to us.api.openai.com',
      'incorrect_hostname',
    ),
    'operator',
    502,
  ],
  // https://platform.openai.com/docs/guides/safety-checks/cybersecurity
  [
    'openai',
    400,
    openai("This user's access to gpt-5.3-codex has been temporarily limited for potentially suspicious activity."),
    'elsewhere',
    400,
  ],
  // Waiting does not help if the limit is zero: https://developers.openai.com/api/docs/guides/rate-limits
  [
    'openai',
    429,
    openai(
      'Request too large for gpt-image-2 (for limit gpt-image) in organization org-x on input-images per min: Limit 0, Requested 1.',
      'rate_limit_exceeded',
      'input-images',
    ),
    'operator',
    502,
  ],
  [
    'groq',
    429,
    openai(
      'Rate limit reached for model `m` in organization `org_x` on tokens per minute (TPM): Limit 0, Used 0, Requested 5.',
      'rate_limit_exceeded',
      'tokens',
    ),
    'operator',
    502,
  ],
  [
    'openai',
    429,
    openai(
      'Rate limit reached for gpt-5 in organization org-x on tokens per min (TPM): Limit 30000, Used 0, Requested 5.',
      'rate_limit_exceeded',
      'tokens',
    ),
    'rate',
    429,
  ],
  [
    'anthropic',
    429,
    anthropic(
      'rate_limit_error',
      "This request would exceed your organization's rate limit of 0 input tokens per minute (org: x, model: m).",
    ),
    'operator',
    502,
  ],
  // https://github.com/continuedev/continue/issues/12057
  [
    'anthropic',
    429,
    anthropic(
      'rate_limit_error',
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute (org: x, model: m).",
    ),
    'rate',
    429,
  ],
  // Google gives no reason, so another endpoint of the model is tried:
  // https://github.com/langchain-ai/langchain/issues/30428
  [
    'google',
    400,
    { error: { code: 400, message: 'Request contains an invalid argument.', status: 'INVALID_ARGUMENT' } },
    'elsewhere',
    400,
  ],
  // Bedrock lacks the feature: https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
  [
    'amazon-bedrock',
    400,
    { message: 'Malformed input request: #: extraneous key [frequency_penalty] is not permitted, please reformat.' },
    'elsewhere',
    400,
  ],
  ['amazon-bedrock', 400, { message: "This model doesn't support tool use in streaming mode." }, 'elsewhere', 400],
  // https://github.com/strands-agents/harness-sdk/issues/1241, https://github.com/anomalyco/opencode/issues/49443
  ...[
    "This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.",
    "This model doesn't support the image field for user messages. Remove image and try again.",
    "This model doesn't support the image content block that you provided. Update the content block and try again.",
  ].map((message): Row => ['amazon-bedrock', 400, { message }, 'elsewhere', 400]),
  // https://github.com/googleapis/python-genai/issues/1921, https://github.com/PublicAffairs/openai-gemini/issues/63
  ...[
    'Invalid JSON payload received. Unknown name "store": Cannot find field.',
    'Logprobs is not enabled for models/gemini-2.5-pro',
    'Penalty is not enabled for this model',
  ].map((message): Row => ['google', 400, google(message), 'elsewhere', 400]),
  ['amazon-bedrock', 503, { message: 'Bedrock is unable to process your request.' }, 'overload', 529],
  // Relays send temporary failures with status 500: https://github.com/experientiallabs/experiential/pull/830
  ['anthropic', 500, anthropic('api_error', 'Overloaded'), 'overload', 529],
  ['acme', 500, openai('Rate limit exceeded', null, 'server_error'), 'rate', 429],
  ['acme', 502, openai('Upstream request timed out', null, 'server_error'), 'timeout', 504],
  ['acme', 500, openai('Internal server error', null, 'server_error'), 'failure', 502],
  // The catalog assigns the model to the wrong API: https://github.com/mnfst/llm-gateway/issues/2657
  [
    'amazon-bedrock',
    400,
    openai("The model 'openai.gpt-5.6-luna' does not support the '/v1/chat/completions' API", 'validation_error'),
    'catalog',
    502,
  ],
  ['amazon-bedrock', 400, { message: 'The model is unsupported for streaming.' }, 'catalog', 502],
  [
    'amazon-bedrock',
    400,
    { message: "This action doesn't support the model that you provided. Try again with a supported chat model." },
    'catalog',
    502,
  ],
  // https://github.com/NousResearch/hermes-agent/blob/main/agent/error_classifier.py
  ['acme', 400, openai('Your plan does not include access to this model'), 'operator', 502],
  // https://github.com/theopenco/llmgateway/blob/main/apps/gateway/src/chat/tools/get-finish-reason-from-error.spec.ts
  [
    'acme',
    403,
    openai('The request failed because the input text may contain sensitive information.', 'SensitiveContentDetected'),
    'request',
    400,
  ],
  ['acme', 500, openai('Input data may contain inappropriate content. Please comply with the policy.'), 'request', 400],
  // https://github.com/theopenco/llmgateway/pull/3012
  ['acme', 400, openai('Temporary routing error (400).'), 'failure', 502],
  // MiniMax's Messages API has its code only in the message: https://github.com/NousResearch/hermes-agent/pull/41110
  [
    'minimax',
    500,
    anthropic('api_error', "input new_sensitive, messages[220]'s content[1] image is sensitive (1026)"),
    'request',
    400,
  ],
  ['minimax', 500, anthropic('api_error', 'output new_sensitive (1027)'), 'request', 400],
  // https://github.com/MiniMax-AI/MiniMax-M3/issues/6
  ['minimax', 500, anthropic('api_error', 'unknown error, 999 (1000)'), 'failure', 502],
  // The number is not a code of this provider.
  ['acme', 500, anthropic('api_error', 'output new_sensitive (1027)'), 'failure', 502],
];

/** Errors about the client's own media and files, with a status that blames the operator or the provider. */
const ofMedia: [provider: string, status: number, body: object][] = [
  // https://github.com/vllm-project/vllm/issues/47163 and https://github.com/vllm-project/vllm/pull/38253
  ['vllm', 500, { error: { message: 'Failed to download image from https://x', code: 500 } }],
  ['vllm', 500, { error: { message: 'cannot identify image file <_io.BytesIO object at 0x7f>', code: 500 } }],
  ['togetherai', 500, { error: { message: 'Error fetching image from URL' } }],
  ['deepinfra', 500, { detail: { error: 'could not download image' } }],
  // https://github.com/BerriAI/litellm/issues/14085
  ['acme', 404, { error: { message: 'Failed to fetch image from https://x: 404 Not Found' } }],
  ['acme', 401, { error: { message: 'Error while downloading file. Upstream status code: 401' } }],
  ['acme', 504, { error: { message: 'Timed out while downloading image' } }],
  ['mistral', 403, { object: 'error', message: 'Image could not be fetched: 403', type: 'invalid_request_file' }],
  ['openai', 403, openai('Image may be inaccessible', 'invalid_image_url')],
  ['openai', 404, openai('No such File object: file-abc123')],
  ['openai', 404, openai('File file-abc123 not found')],
  ['openai', 404, openai("Previous response with id 'resp_x' not found.", 'previous_response_not_found')],
  ['openai', 404, openai("Container with id 'cntr_x' not found.")],
  ['google', 404, { error: { code: 404, message: 'File abc not found', status: 'NOT_FOUND' } }],
  ['xai', 404, { code: 'not-found', error: 'File file_x not found' }],
];

/** Errors in a stream without a status, from https://github.com/experientiallabs/experiential/pull/830 and others. */
const streamed: [provider: string, error: object, fault: FaultKind, clientStatus: number][] = [
  // https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_error.py
  ['openai', { code: 'image_too_large', message: 'The image is larger than 50 MB.' }, 'request', 400],
  ['azure', { code: 'empty_image_file', message: 'The image file is empty.' }, 'request', 400],
  ['anthropic', anthropic('api_error', 'Overloaded'), 'overload', 529],
  ['anthropic', anthropic('invalid_request_error', 'Output blocked by content filtering policy'), 'request', 400],
  ['amazon-bedrock', { message: 'Too many tokens, please wait before trying again.' }, 'rate', 429],
  ['amazon-bedrock', { message: 'Bedrock is unable to process your request.' }, 'overload', 529],
  ['xai', { error: 'The model is currently at capacity due to high demand. Please try again.' }, 'overload', 529],
  ['xai', { error: "Too many requests for team x. Your team's rate limit is 8/8." }, 'rate', 429],
  ['cerebras', { message: "We're experiencing high traffic right now! Please try again soon." }, 'overload', 529],
  [
    'openai',
    openai('Selected model is at capacity. Please try a different model.', 'x', 'server_error'),
    'overload',
    529,
  ],
  ['acme', openai('Service temporarily at capacity', null, 'server_error'), 'overload', 529],
  // Z.ai's Messages API has its code in the message: https://docs.z.ai/api-reference/api-code
  [
    'zai-anthropic',
    anthropic('rate_limit', '[1302][Rate limit reached for requests][202610060644290fbcd9bc36024c65]'),
    'rate',
    429,
  ],
  ['zai-anthropic', anthropic('api_error', '[1261][Prompt too long][202610060644290f]'), 'context', 400],
  ['minimax', anthropic('api_error', 'output new_sensitive (1027)'), 'request', 400],
  ['acme', openai('Rate limit exceeded. Try again in 20 seconds', null, 'server_error'), 'rate', 429],
  ['acme', openai('context deadline exceeded', null, 'server_error'), 'timeout', 504],
  ['acme', openai('Unexpected end of tool call', null, 'server_error'), 'failure', 502],
];

describe('a published error', () => {
  it.each(rows)('of %s with status %i: %j is of the kind %s (%i)', (id, status, body, fault, clientStatus) => {
    const failure = refusalOfResponse({ status, headers: {} }, JSON.stringify(body), providerOf(id));

    expect([failure.fault, failure.status]).toEqual([fault, clientStatus]);
  });

  it.each(ofMedia)('about the media or files of the client is its own: %s with status %i: %j', (id, status, body) => {
    const failure = refusalOfResponse({ status, headers: {} }, JSON.stringify(body), providerOf(id));

    expect(failure).toMatchObject({ fault: 'request', status: 400, mayTryAnother: false, isOperators: false });
  });

  it.each([
    ['acme', 500, { error: { message: 'Failed to fetch' } }, 'failure'],
    ['acme', 500, { error: { message: 'Failed to download file of the model' } }, 'failure'],
    ['acme', 404, { error: { message: 'Not Found' } }, 'operator'],
    [
      'openai',
      404,
      openai('The model `m` does not exist or you do not have access to it.', 'model_not_found'),
      'catalog',
    ],
  ] as const)('is not the fault of the client without its media: %s with status %i: %j', (id, status, body, fault) => {
    const failure = refusalOfResponse({ status, headers: {} }, JSON.stringify(body), providerOf(id));

    expect(failure.fault).toBe(fault);
  });

  it.each(streamed)('of %s in a stream: %j is of the kind %s (%i)', (id, error, fault, clientStatus) => {
    const failure = errorInAnswer(error, {}, providerOf(id));

    expect([failure.fault, failure.status]).toEqual([fault, clientStatus]);
  });

  // https://github.com/openclaw/clawhub/issues/407
  it.each([
    [{ 'retry-after': '1795687230' }, {}],
    [{}, { resets_at: 1_795_687_230 }],
    [{}, { retry_after: 30 }],
  ])('has the wait until a point in time: headers %j, body %j', (headers, more) => {
    vi.setSystemTime('2026-11-26T10:00:00Z');
    const body = JSON.stringify({ error: { message: 'Slow down', ...more } });
    const failure = refusalOfResponse({ status: 429, headers }, body, providerOf('acme'));

    expect(failure.headers).toEqual({ 'retry-after': '30' });
    vi.useRealTimers();
  });
});
