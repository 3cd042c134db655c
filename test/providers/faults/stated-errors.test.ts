/** Errors as providers write them, each with the kind of fault. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FaultKind } from '../../../lambdas/providers/faults/fault-rule.ts';
import { classifyError, faultRules } from '../../../lambdas/providers/faults/classify.ts';
import { statedError } from '../../../lambdas/providers/faults/stated-error.ts';

type Row = [provider: string, status: number, body: unknown, fault: FaultKind];

const faultOf = (providerId: string, status: number, body: unknown): FaultKind => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const httpStatus = status >= 400 ? status : undefined;
  return classifyError(statedError(text), { providerId, httpStatus }).fault;
};

const openai = (message: string, code: unknown = null, type: unknown = 'invalid_request_error') => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: 'error', error: { type, message } });
const google = (code: number, status: string, message: string, ...details: object[]) => ({
  error: { code, message, status, details },
});
const reason = (name: string) => ({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name });

const operators: Row[] = [
  [
    'openai',
    429,
    openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
    'operator',
  ],
  [
    'openai',
    429,
    openai(
      'Your account is not active, please check your billing details on our website.',
      'billing_not_active',
      'billing_not_active',
    ),
    'operator',
  ],
  ['openai', 400, openai('Billing hard limit has been reached', 'billing_hard_limit_reached'), 'operator'],
  [
    'openai',
    403,
    openai('Country, region, or territory not supported', 'unsupported_country_region_territory', 'request_forbidden'),
    'operator',
  ],
  [
    'openai',
    400,
    openai(
      'Your organization must be verified to generate reasoning summaries. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.',
      'unsupported_value',
    ),
    'operator',
  ],
  [
    'openai',
    404,
    openai('Your organization must be verified to use the model `gpt-6`.', 'model_not_found'),
    'operator',
  ],
  ['openai', 403, openai('Project `proj_x` does not have access to model `gpt-6`', 'model_not_found'), 'operator'],
  [
    'openai',
    400,
    openai("This organization's data retention policy does not allow zero data retention for this model"),
    'operator',
  ],
  ['openai', 200, { error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } }, 'operator'],
  [
    'anthropic',
    400,
    anthropic(
      'invalid_request_error',
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
    'operator',
  ],
  [
    'anthropic',
    400,
    anthropic(
      'invalid_request_error',
      'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    ),
    'operator',
  ],
  [
    'anthropic',
    400,
    anthropic(
      'invalid_request_error',
      'You have reached your specified workspace API usage limits. You will regain access on 2026-12-01.',
    ),
    'operator',
  ],
  ['anthropic', 400, anthropic('invalid_request_error', 'This organization has been disabled.'), 'operator'],
  [
    'google-vertex-anthropic',
    400,
    google(
      400,
      'FAILED_PRECONDITION',
      'Publisher Model `projects/p/locations/us-east1/publishers/anthropic/models/claude-x` is not servable in region us-east1.',
    ),
    'operator',
  ],
  [
    'google',
    400,
    google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', reason('API_KEY_INVALID')),
    'operator',
  ],
  ['google', 400, [google(400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.')], 'operator'],
  ['google', 400, google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'), 'operator'],
  [
    'google',
    400,
    google(
      400,
      'FAILED_PRECONDITION',
      'Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.',
    ),
    'operator',
  ],
  [
    'google',
    403,
    google(
      403,
      'PERMISSION_DENIED',
      'Generative Language API has not been used in project 1 before or it is disabled.',
      reason('SERVICE_DISABLED'),
    ),
    'operator',
  ],
  [
    'google',
    429,
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.',
    ),
    'operator',
  ],
  [
    'google',
    429,
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan.\n* Quota exceeded for metric: free_tier_requests, limit: 0\nPlease retry in 10s.',
    ),
    'operator',
  ],
  [
    'amazon-bedrock',
    400,
    { message: 'Access to Anthropic models is not allowed from unsupported countries, regions, or territories.' },
    'operator',
  ],
  ['amazon-bedrock', 400, { message: 'Operation not allowed' }, 'operator'],
  [
    'amazon-bedrock',
    404,
    {
      message:
        'Model use case details have not been submitted for this account. Fill out the Anthropic use case details form before using the model.',
    },
    'operator',
  ],
  ['amazon-bedrock', 403, { message: 'The security token included in the request is invalid.' }, 'operator'],
  [
    'amazon-bedrock',
    200,
    { __type: 'accessDeniedException', message: "You don't have access to the model with the specified model ID." },
    'operator',
  ],
  [
    'azure',
    404,
    { error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' } },
    'operator',
  ],
  ['azure', 400, { error: { code: 'BadRequest', message: 'API version not supported' } }, 'operator'],
  [
    'azure',
    401,
    { error: { code: 'PermissionDenied', message: 'The principal lacks the required data action' } },
    'operator',
  ],
  [
    'alibaba',
    400,
    openai('Access denied, please make sure your account is in good standing.', 'Arrearage', 'Arrearage'),
    'operator',
  ],
  [
    'alibaba',
    403,
    openai('The free tier of the model has been exhausted.', 'AllocationQuota.FreeTierOnly', null),
    'operator',
  ],
  ['deepseek', 402, openai('Insufficient Balance', 'invalid_request_error', 'unknown_error'), 'operator'],
  [
    'moonshotai',
    429,
    {
      error: {
        type: 'exceeded_current_quota_error',
        message: 'Your account org-1 is suspended, please check your plan and billing details',
      },
    },
    'operator',
  ],
  [
    'moonshotai-anthropic',
    401,
    { error: { type: 'incorrect_api_key_error', message: 'Incorrect API key provided' } },
    'operator',
  ],
  [
    'zai',
    429,
    { error: { code: '1113', message: 'Insufficient balance or no resource package. Please recharge.' } },
    'operator',
  ],
  ['zai', 429, { error: { code: 1113, message: '余额不足或无可用资源包,请充值。' } }, 'operator'],
  ['zai-anthropic', 200, { code: 401, msg: 'token expired or incorrect', success: false }, 'operator'],
  [
    'xai',
    400,
    {
      code: 'invalid-argument',
      error: 'Incorrect API key provided. You can obtain an API key from https://console.x.ai.',
    },
    'operator',
  ],
  [
    'xai',
    429,
    {
      code: 'Some resource has been exhausted',
      error: 'Your team 9 has either used all available credits or reached its monthly spending limit.',
    },
    'operator',
  ],
  [
    'groq',
    400,
    openai(
      'Organization has been restricted. Please reach out to support if you believe this was in error.',
      'organization_restricted',
    ),
    'operator',
  ],
  [
    'groq',
    400,
    openai(
      'The model `x` requires terms acceptance. Please have the org admin accept the terms at https://console.groq.com',
      'model_terms_required',
    ),
    'operator',
  ],
  ['perplexity', 401, openai('You exceeded your current quota', 401, 'insufficient_quota'), 'operator'],
  [
    'fireworks-ai',
    412,
    {
      error: {
        object: 'error',
        type: 'error',
        code: 'PRECONDITION_FAILED',
        message: 'Account acme is suspended, possibly due to reaching the monthly spending limit',
      },
    },
    'operator',
  ],
  ['cohere', 429, { message: 'You are using a Trial key, which is limited to 1000 API calls / month.' }, 'operator'],
  [
    'openrouter',
    404,
    {
      error: {
        message:
          'No endpoints found matching your data policy (Paid model training). Configure: https://openrouter.ai/settings/privacy',
        code: 404,
      },
    },
    'operator',
  ],
  [
    'openrouter',
    200,
    { error: { message: 'Insufficient credits. Add more using https://openrouter.ai/credits', code: 402 } },
    'operator',
  ],
  ['minimax', 200, { base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, 'operator'],
  ['minimax-video', 200, { base_resp: { status_code: 2049, status_msg: 'invalid api key' } }, 'operator'],
  [
    'yandex',
    400,
    {
      error: {
        message: "Specified folder ID 'a' does not match with service account folder ID 'b'",
        type: 'invalid_request_error',
      },
    },
    'operator',
  ],
  ['yandex', 400, { error: { grpcCode: 7, httpCode: 400, message: 'No.' } }, 'operator'],
  ['gigachat', 401, { status: 401, message: 'Token has expired' }, 'operator'],
  ['runway', 400, { error: 'You do not have enough credits to run this task.' }, 'operator'],
  ['acme', 400, { error: 'Incorrect API key provided' }, 'operator'],
  [
    'acme',
    400,
    {
      error: {
        message:
          'litellm.AuthenticationError: OpenAIException - {"error":{"message":"Incorrect API key","code":"invalid_api_key"}}',
      },
    },
    'operator',
  ],
  ['acme', 400, { detail: '{"error":{"type":"authentication_error","message":"No."}}' }, 'operator'],
  ['acme', 403, '<html><head><title>403 Forbidden</title></head></html>', 'operator'],
];

const retired: Row[] = [
  [
    'openai',
    404,
    openai(
      'The model `gpt-4-32k` has been deprecated, learn more here: https://platform.openai.com/docs/deprecations',
      'model_not_found',
    ),
    'catalog',
  ],
  [
    'openai',
    404,
    openai('The model `gpt-x` does not exist or you do not have access to it.', 'model_not_found'),
    'catalog',
  ],
  ['openai', 400, openai("The requested model 'gpt-x' does not exist."), 'catalog'],
  ['anthropic', 404, anthropic('not_found_error', 'model: claude-3-opus-20240229'), 'catalog'],
  ['anthropic', 200, anthropic('not_found_error', 'model: claude-3-opus-20240229'), 'catalog'],
  [
    'google',
    404,
    google(
      404,
      'NOT_FOUND',
      'models/gemini-1.0 is not found for API version v1beta, or is not supported for generateContent.',
    ),
    'catalog',
  ],
  [
    'google',
    404,
    google(404, 'NOT_FOUND', 'This model models/gemini-2.0-flash is no longer available to new users.'),
    'catalog',
  ],
  [
    'google-vertex',
    400,
    google(
      400,
      'INVALID_ARGUMENT',
      'Publisher Model `projects/p/models/x` was not found or your project does not have access to it.',
    ),
    'catalog',
  ],
  ['amazon-bedrock', 400, { message: 'The provided model identifier is invalid.' }, 'catalog'],
  [
    'amazon-bedrock',
    400,
    {
      message:
        'Invocation of model ID anthropic.claude-x with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.',
    },
    'catalog',
  ],
  [
    'amazon-bedrock',
    404,
    {
      message:
        'This model version has reached the end of its life. Please refer to the AWS documentation for more details.',
    },
    'catalog',
  ],
  ['deepseek', 400, openai('Model Not Exist', 'invalid_request_error'), 'catalog'],
  [
    'mistral',
    400,
    { object: 'error', message: 'Invalid model: mistral-old', type: 'invalid_model', code: '1500' },
    'catalog',
  ],
  [
    'moonshotai',
    404,
    { error: { type: 'resource_not_found_error', message: 'Not found the model kimi-old or Permission denied' } },
    'catalog',
  ],
  ['zai', 400, { error: { code: '1211', message: 'Unknown Model, please check the model code.' } }, 'catalog'],
  [
    'xai',
    404,
    {
      code: 'Some requested entity was not found',
      error: 'The model grok-1 does not exist or your team 9 does not have access to it.',
    },
    'catalog',
  ],
  [
    'groq',
    400,
    openai('The model `x` has been decommissioned and is no longer supported.', 'model_decommissioned'),
    'catalog',
  ],
  [
    'perplexity',
    400,
    openai("Invalid model 'sonar-old'. Permitted models can be found in the documentation", 400, 'invalid_model'),
    'catalog',
  ],
  ['azure', 400, { error: { code: 'unknown_model', message: 'Unknown model: x' } }, 'catalog'],
  [
    'azure',
    400,
    openai('The chatCompletion operation does not work with the specified model, x.', 'OperationNotSupported'),
    'catalog',
  ],
  [
    'togetherai',
    400,
    openai('Unable to access non-serverless model x. Please create a dedicated endpoint.', 'model_not_available'),
    'catalog',
  ],
  ['openrouter', 400, { error: { message: 'acme/old is not a valid model ID', code: 400 } }, 'catalog'],
  [
    'vllm',
    404,
    { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 },
    'catalog',
  ],
  ['ollama', 404, openai('model "own:9b" not found, try pulling it first', null, 'api_error'), 'catalog'],
  ['cohere', 404, { message: "model 'command-old' was removed on September 15, 2025." }, 'catalog'],
  ['acme', 410, { message: 'gone' }, 'catalog'],
];

const tooLong: Row[] = (
  [
    ['anthropic', 400, anthropic('invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')],
    [
      'anthropic',
      400,
      anthropic(
        'invalid_request_error',
        'input length and `max_tokens` exceed context limit: 195000 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      ),
    ],
    [
      'openai',
      400,
      openai(
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
        'context_length_exceeded',
      ),
    ],
    [
      'openai',
      200,
      { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: 'Too long.' } } },
    ],
    [
      'openai',
      400,
      openai(
        "This model's maximum context length is 8192 tokens, however you requested 9000 tokens (9000 in your prompt; 0 for the completion).",
      ),
    ],
    [
      'google',
      400,
      google(
        400,
        'INVALID_ARGUMENT',
        'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
      ),
    ],
    [
      'google',
      400,
      google(400, 'INVALID_ARGUMENT', 'The input token count exceeds the maximum number of tokens allowed (1048576).'),
    ],
    [
      'amazon-bedrock',
      400,
      { message: 'The model returned the following errors: Input is too long for requested model.' },
    ],
    ['amazon-bedrock', 200, { __type: 'validationException', message: 'Input is too long for requested model.' }],
    [
      'amazon-bedrock',
      400,
      { message: '400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000 ' },
    ],
    [
      'xai',
      400,
      {
        code: 'invalid-argument',
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
    ],
    ['moonshotai', 400, openai('Invalid request: Your request exceeded model token limit: 262144 (requested: 290000)')],
    ['zai', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
    ['acme', 400, { error: { code: '1261', message: 'Prompt exceeds max length' } }],
    [
      'alibaba',
      400,
      openai(
        '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]',
        'invalid_parameter_error',
      ),
    ],
    [
      'mistral',
      400,
      {
        object: 'error',
        message:
          'Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        code: '3051',
      },
    ],
    ['groq', 400, openai('Please reduce the length of the messages or completion.', 'context_length_exceeded')],
    ['perplexity', 400, openai('The total length of all messages is too long.', 400, 'too_many_prompt_tokens')],
    ['minimax', 400, anthropic('invalid_request_error', 'invalid params, context window exceeds limit (2013)')],
    [
      'cerebras',
      400,
      {
        message:
          'Please reduce the length of the messages or completion. Current length is 134000 while limit is 131072',
        code: 'context_length_exceeded',
      },
    ],
    [
      'vllm',
      400,
      {
        object: 'error',
        message:
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages.",
        type: 'BadRequestError',
        code: 400,
      },
    ],
    [
      'vllm',
      400,
      {
        error: {
          message: 'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
          type: 'BadRequestError',
          code: 400,
        },
      },
    ],
    ['ollama', 400, openai('prompt too long; exceeded max context length by 1119046 tokens (ref: 1)')],
    [
      'acme',
      400,
      {
        error: {
          code: 400,
          message: 'request (124071 tokens) exceeds the available context size (123904 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 124071,
          n_ctx: 123904,
        },
      },
    ],
    [
      'acme',
      500,
      { error: { code: 500, message: 'the request exceeds the available context size', type: 'server_error' } },
    ],
    [
      'cohere',
      400,
      {
        error_type: 'TOO_MANY_TOKENS',
        message:
          'too many tokens: size limit exceeded by 25836 tokens. Try using shorter or fewer inputs. The limit for this model is 288000 tokens.',
      },
    ],
    [
      'yandex',
      400,
      openai('Error in session internal_id=1: number of input tokens must be no more than 32768, got 40000'),
    ],
    [
      'openrouter',
      400,
      {
        error: {
          message: 'Provider returned error',
          code: 400,
          metadata: {
            provider_name: 'X',
            raw: '{"error":{"message":"This endpoint\'s maximum context length is 200000 tokens. However, you requested about 250002 tokens"}}',
          },
        },
      },
    ],
    [
      'acme',
      400,
      {
        error: {
          message:
            'litellm.BadRequestError: OpenAIException - {"error":{"message":"Too long.","code":"context_length_exceeded"}}',
        },
      },
    ],
    ['acme', 400, { detail: '{"error":{"type":"exceed_context_size_error","message":"Too long."}}' }],
    ['acme', 400, 'prompt is too long'],
  ] as [string, number, unknown][]
).map((row): Row => [...row, 'context']);

const others: Row[] = [
  // The following errors may be temporary.
  [
    'google',
    429,
    google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: paid_tier_input_token_count, limit: 1000000\nPlease retry in 48.9s.',
    ),
    'rate',
  ],
  [
    'alibaba',
    429,
    openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
    'rate',
  ],
  [
    'groq',
    413,
    openai(
      'Request too large for model `x` on tokens per minute (TPM): Limit 6000, Requested 8000',
      'rate_limit_exceeded',
      'tokens',
    ),
    'rate',
  ],
  ['amazon-bedrock', 429, { message: 'Too many tokens, please wait before trying again.' }, 'rate'],
  [
    'amazon-bedrock',
    200,
    { __type: 'throttlingException', message: 'Too many tokens, please wait before trying again.' },
    'rate',
  ],
  [
    'moonshotai',
    429,
    { error: { type: 'engine_overloaded_error', message: 'The engine is currently overloaded' } },
    'overload',
  ],
  [
    'mistral',
    429,
    {
      object: 'error',
      message: 'Service tier capacity exceeded for this model.',
      type: 'service_tier_capacity_exceeded',
      code: '3505',
    },
    'overload',
  ],
  ['groq', 498, openai('Flex tier capacity exceeded'), 'overload'],
  ['anthropic', 200, anthropic('overloaded_error', 'Overloaded'), 'overload'],
  ['acme', 503, { error: { message: 'The model is not available at the moment', type: 'server_error' } }, 'overload'],
  // The status describes the error more exactly than the error type, which means an internal error.
  ['amazon-bedrock', 503, { __type: 'InternalServerException', message: 'm' }, 'overload'],
  ['alibaba', 429, openai('m', 'InternalError'), 'rate'],
  ['acme', 502, '<html>Bad gateway</html>', 'failure'],
  ['acme', 400, '<html><h1>400 Bad Request</h1></html>', 'failure'],
  ['acme', 200, { error: { code: 502, message: 'm' } }, 'failure'],
  ['acme', 200, { error: 'Something broke' }, 'failure'],
  ['acme', 524, '', 'timeout'],
  // The following errors concern the request.
  ['acme', 400, openai("Unsupported parameter: 'seeds'."), 'request'],
  ['acme', 422, 'Failed to deserialize the JSON body into the target type', 'request'],
  ['acme', 400, { error: { message: 'x', type: 'invalid_request_error', code: 'request_timeout' } }, 'timeout'],
  ['acme', 500, { error: { message: 'sensitive words detected', code: 'sensitive_words_detected' } }, 'request'],
  ['acme', 422, { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] }, 'request'],
  [
    'xai',
    403,
    {
      code: 'The caller does not have permission to execute the specified operation',
      error: 'Content violates usage guidelines.',
    },
    'request',
  ],
  [
    'openrouter',
    403,
    { error: { message: 'Your chosen model requires moderation and your input was flagged', code: 403 } },
    'request',
  ],
  ['alibaba', 400, openai('Output data may contain inappropriate content.', 'data_inspection_failed'), 'request'],
  ['deepseek', 400, openai('Content Exists Risk', 'invalid_request_error'), 'request'],
  [
    'google',
    400,
    google(400, 'FAILED_PRECONDITION', 'The File abc is not in an ACTIVE state and usage is not allowed.'),
    'request',
  ],
  ['minimax-video', 200, { base_resp: { status_code: 1026, status_msg: 'input sensitive' } }, 'request'],
  [
    'openai',
    400,
    openai('max_tokens is too large: 200000. This model supports at most 128000 completion tokens', 'invalid_value'),
    'elsewhere',
  ],
  ['openai', 400, openai('Image size exceeds the maximum of 20 MB'), 'request'],
  ['openai', 400, openai("Invalid 'tools[0].function.name': invalid api key"), 'request'],
  ['acme', 413, '<html>413 Request Entity Too Large</html>', 'size'],
  ['amazon-bedrock', 400, { message: 'tools.0.custom.x: Extra inputs are not permitted' }, 'elsewhere'],
  ['ollama', 400, openai('registry.ollama.ai/library/gemma:2b does not support tools'), 'elsewhere'],
  ['acme', 400, '', 'elsewhere'],
  // Refusals of encrypted reasoning.
  [
    'openai',
    400,
    openai('The encrypted content gAAA...DQ== could not be verified.', 'invalid_encrypted_content'),
    'reasoning',
  ],
  [
    'acme',
    400,
    openai(
      'The encrypted content for item rs_9 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    ),
    'reasoning',
  ],
  [
    'openai',
    404,
    openai("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false."),
    'reasoning',
  ],
  [
    'anthropic',
    400,
    anthropic('invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block'),
    'reasoning',
  ],
  [
    'amazon-bedrock',
    400,
    {
      message: 'The model returned the following errors: messages.1.content.0: Invalid `signature` in `thinking` block',
    },
    'reasoning',
  ],
  [
    'xai',
    400,
    {
      code: 'invalid-argument',
      error:
        'Could not decrypt the provided encrypted_content. Ensure the value is the unmodified encrypted_content from a previous response.',
    },
    'reasoning',
  ],
  [
    'xai',
    400,
    {
      code: 'Client specified an invalid argument',
      error: 'Could not decode the compaction blob. Ensure it is unmodified from the compact response.',
    },
    'reasoning',
  ],
  [
    'google',
    400,
    google(400, 'INVALID_ARGUMENT', 'Unable to submit request because Thought signature is not valid.. Learn more'),
    'reasoning',
  ],
  ['google', 400, google(400, 'INVALID_ARGUMENT', 'Corrupted thought signature.'), 'reasoning'],
  [
    'google',
    400,
    google(
      400,
      'INVALID_ARGUMENT',
      'Invalid value at \'contents[3].parts[0].thought_signature\' (TYPE_BYTES), Base64 decoding failed for "CiQB0e2Kb7IB6"',
    ),
    'reasoning',
  ],
  ['meta', 400, openai('reasoning `encrypted_content` was not issued to this caller'), 'reasoning'],
  ...[
    'messages.3.content.10: When providing `thinking` or `redacted_thinking` blocks, the blocks must match the parameters during the original request.',
    'messages.5.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `text`.',
    'messages.2.content.0.thinking.signature: Field required',
  ].map((said): Row => ['anthropic', 400, anthropic('invalid_request_error', said), 'reasoning']),
  ['google', 400, google(400, 'INVALID_ARGUMENT', 'Invalid thought signature.'), 'reasoning'],
];

describe('an error of a provider', () => {
  it.each([...operators, ...retired, ...tooLong, ...others])(
    'of %s with status %i: %j is of the kind %s',
    (provider, status, body, fault) => {
      expect(faultOf(provider, status, body)).toBe(fault);
    },
  );

  it('is never the fault of the client if the operator’s account is the cause', () => {
    for (const [provider, status, body] of operators) {
      expect(['operator', 'catalog'], JSON.stringify(body)).toContain(faultOf(provider, status, body));
    }
  });
});

describe('the rules for errors of providers', () => {
  it('have a source each, in the comment before them', () => {
    const directory = 'lambdas/providers/faults';
    const files = readdirSync(directory).filter((file) => file.endsWith('-rules.ts'));
    const calls = files.flatMap((file) => {
      const lines = readFileSync(join(directory, file), 'utf8').split('\n');
      return lines.flatMap((line, index) => (line.includes('rulesFrom(') ? [`${file}: ${lines[index - 1]}`] : []));
    });

    expect(calls.length).toBeGreaterThan(100);
    expect(calls.filter((before) => !/^\S+: +\/\/ (?:Errors of .+, from )?https:\/\/\S+$/.test(before))).toEqual([]);
  });

  it('have codes in lower case, a message or a list of statuses', () => {
    const vague = faultRules.filter(({ code, message, status }) => !code && !message && !Array.isArray(status));
    const loud = faultRules.flatMap(({ code = [] }) => code).filter((code) => code !== code.toLowerCase());

    expect([vague, loud]).toEqual([[], []]);
  });

  it('match messages from the beginning if they blame anyone except the client', () => {
    const blaming = faultRules.filter(({ kind }) => !['request', 'elsewhere', 'context'].includes(kind));
    const loose = blaming.filter(({ message }) => message && !message.source.split('|^').every((part) => part !== ''));

    expect(loose).toEqual([]);
    expect(blaming.filter(({ message }) => message && !message.source.startsWith('^'))).toEqual([]);
  });

  it('do not blame the operator because of text that a message quotes from the client', () => {
    const quoted = operators.map(([, , body]) => JSON.stringify(body)).map((text) => text.replaceAll(/["{}\\]/g, "'"));
    for (const words of quoted) {
      expect(
        faultOf('openai', 400, openai(`Invalid value: '${words}'. Supported values are: 'low' and 'high'.`)),
      ).not.toBe('operator');
    }
  });

  it.each([
    '[',
    '{',
    'null',
    '5',
    '[[[[[[[[[["x"]]]]]]]]]]',
    '{"error":{"error":{"error":{"error":{"error":{"error":{"error":{}}}}}}}}',
    `{"message":"${'{'.repeat(10_000)}"}`,
  ])('match any input without an exception: %s', (text) => {
    expect(() => faultOf('acme', 400, text)).not.toThrow();
  });
});

describe('an error whose fields cannot become a text or a number', () => {
  const odd = JSON.parse('{"toString":0,"valueOf":0}') as object;
  const fields =
    'code status type message retry_after retry_after_ms resets_in_seconds retryDelay details metadata loc'.split(' ');

  it.each(fields)('is read without an exception: %s', (field) => {
    for (const error of [
      { [field]: odd },
      { message: 'x', [field]: odd },
      { message: 'x', details: [{ [field]: odd }] },
      { message: 'x', [field]: [odd] },
    ]) {
      for (const body of [error, { error }, { error: { ...error, metadata: error } }]) {
        expect(() => faultOf('openai', 429, body)).not.toThrow();
        expect(() => faultOf('google', 500, body)).not.toThrow();
      }
    }
  });
});
