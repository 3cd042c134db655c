/** Rules for rate limits, overloads and failures that HTTP status or error type alone would misclassify. */

import { rulesFrom } from './fault-rule.ts';

export const providerRules = [
  // The request alone exceeds a limit of the operator's account. Another endpoint may have a higher limit.
  // Errors of OpenAI and Groq, from https://github.com/continuedev/continue/issues/10218
  ...rulesFrom('openai', {
    kind: 'rate',
    status: [413, 429],
    message: /^Request too large for \S[^\n]{0,200}\b(?:tokens|images) per min/i,
    isLasting: true,
  }),
  // A relay reports a failure of the provider behind it as an error of the client.
  // Errors of OpenRouter, from https://github.com/damianvtran/local-operator/pull/288
  ...rulesFrom('openrouter', {
    kind: 'failure',
    status: [400, 422],
    message: /^(?:Provider returned error|Upstream (?:request failed|error))[.:]?$/i,
  }),
  // Errors of Moonshot, from https://platform.moonshot.ai/docs/api/errors
  ...rulesFrom('moonshotai', {
    kind: 'overload',
    code: ['engine_overloaded_error'],
  }),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/error-codes
  ...rulesFrom(
    'openai',
    {
      kind: 'overload',
      code: [
        'server_is_overloaded',
        'server_overloaded',
        'slow_down',
        'overloaded',
        'service_unavailable',
        'engine_overloaded',
      ],
    },
    {
      kind: 'rate',
      code: [
        'rate_limit_exceeded',
        'rate_limit',
        'rate_limited',
        'requests',
        'tokens',
        'too_many_requests',
        'toomanyrequests',
      ],
      status: [413, 429],
    },
    {
      kind: 'rate',
      code: ['rate_limit_exceeded', 'rate_limit', 'rate_limited', 'too_many_requests', 'toomanyrequests'],
    },
  ),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/api/errors
  ...rulesFrom(
    'anthropic',
    { kind: 'overload', code: ['overloaded_error'] },
    { kind: 'rate', code: ['rate_limit_error'] },
  ),
  // Errors of Google, from https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
  ...rulesFrom(
    'google',
    { kind: 'rate', code: ['resource_exhausted'] },
    { kind: 'overload', code: ['unavailable'] },
    { kind: 'timeout', code: ['deadline_exceeded'] },
  ),
  // Errors of Amazon Bedrock, from https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
  ...rulesFrom(
    'amazon-bedrock',
    {
      kind: 'rate',
      code: ['throttlingexception', 'throttling', 'servicequotaexceededexception', 'toomanyrequestsexception'],
    },
    { kind: 'overload', code: ['serviceunavailableexception', 'serviceunavailable', 'modelnotreadyexception'] },
    { kind: 'overload', message: /^Bedrock is unable to process your request/i },
    { kind: 'timeout', code: ['modeltimeoutexception'] },
    {
      kind: 'failure',
      code: ['internalserverexception', 'modelerrorexception', 'modelstreamerrorexception', 'internalfailure'],
    },
  ),
  // Errors of Azure, from https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/quota
  ...rulesFrom('azure', {
    kind: 'rate',
    code: ['ratelimitreached', 'tokens_limit_reached', 'nocapacity'],
  }),
  // Errors of Alibaba, from https://help.aliyun.com/en/model-studio/error-code
  ...rulesFrom(
    'alibaba',
    {
      kind: 'rate',
      code: [
        'throttling.ratequota',
        'throttling.burstrate',
        'throttling.allocationquota',
        'limit_requests',
        'limitrequests',
        'limit_burst_rate',
      ],
    },
    { kind: 'overload', code: ['modelunavailable', 'modelservingerror'] },
    { kind: 'timeout', code: ['requesttimeout', 'responsetimeout'] },
    { kind: 'failure', code: ['internalerror', 'internal_error', 'systemerror'] },
  ),
  // Errors of Mistral, from https://docs.mistral.ai/deployment/ai-studio/tier
  ...rulesFrom(
    'mistral',
    { kind: 'overload', code: ['service_tier_capacity_exceeded', '3505'] },
    { kind: 'rate', code: ['1300'] },
  ),
  // Errors of Moonshot, from https://platform.moonshot.ai/docs/api/errors
  ...rulesFrom('moonshotai', {
    kind: 'rate',
    code: ['rate_limit_reached_error'],
  }),
  // Errors of Z.ai, from https://docs.z.ai/api-reference/api-code
  ...rulesFrom(
    'zai',
    { kind: 'rate', code: ['1302', '1303', '1304', '1308', '1310'] },
    { kind: 'overload', code: ['1305', '1312'] },
    { kind: 'failure', code: ['1230', '1234'] },
  ),
  // Errors of MiniMax, from https://platform.minimax.io/docs/api-reference/errorcode
  ...rulesFrom(
    'minimax',
    { kind: 'rate', code: ['1002', '1039', '1041', '2045', '2056'] },
    { kind: 'timeout', code: ['1001'] },
    { kind: 'failure', code: ['1000', '1013', '1024', '1033'] },
  ),
  // Errors of DeepSeek, from https://api-docs.deepseek.com/api/create-chat-completion
  ...rulesFrom('deepseek', {
    kind: 'overload',
    code: ['insufficient_system_resource'],
  }),
  // Errors of llama.cpp, from https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  ...rulesFrom('llama-cpp', {
    kind: 'overload',
    code: ['unavailable_error'],
  }),
  // Errors of Groq, from https://console.groq.com/docs/flex-processing
  ...rulesFrom(
    'groq',
    {
      kind: 'overload',
      status: [498],
      isOwn: true,
    },
    { kind: 'overload', code: ['capacity_exceeded'] },
  ),
  // The provider cannot parse its model's output, but another attempt may succeed. Errors of Groq, from
  // https://console.groq.com/docs/tool-use
  ...rulesFrom(
    'groq',
    { kind: 'failure', code: ['tool_use_failed', 'json_validate_failed', 'output_parse_failed'] },
    {
      kind: 'failure',
      message:
        /^(?:Parsing failed\. The model generated|Failed to (?:call a function|generate JSON|parse tool call)|The model (?:produced|generated|returned) (?:an )?(?:invalid|malformed|empty))/i,
    },
  ),
  // A speech model answers the text instead of reading it aloud. Another attempt with the same request may succeed.
  // Errors of Google, from https://ai.google.dev/gemini-api/docs/speech-generation
  ...rulesFrom('google', {
    kind: 'failure',
    status: [400],
    message: /^Model tried to generate text, but it should only/i,
  }),
  // Errors of Cohere, from https://github.com/cohere-ai/notebooks/issues/237
  ...rulesFrom('cohere', { kind: 'failure', message: /^No valid (?:tool call|response)\b[^\n]{0,40} generated/i }),
  // Errors of Yandex, from https://yandex.cloud/en/docs/ai-studio/troubleshooting/error-codes
  ...rulesFrom('yandex', {
    kind: 'rate',
    message: /^ai\.[\w.]{1,160} (?:\w+ )?quota limit exceed/i,
  }),
];

/** Rules for general error types, tried only if no more precise rule matches. */
export const typeRules = [
  // Errors of Z.ai, from https://docs.z.ai/api-reference/api-code
  ...rulesFrom('zai', {
    kind: 'request',
    code: ['1210', '1213', '1214', '1215'],
  }),
  // Errors of MiniMax, from https://platform.minimax.io/docs/api-reference/errorcode
  ...rulesFrom('minimax', {
    kind: 'request',
    code: ['1042', '2013'],
  }),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/api/errors
  ...rulesFrom(
    'anthropic',
    { kind: 'catalog', status: 'none', code: ['not_found_error'], message: /^model\b/i },
    { kind: 'operator', status: 'none', code: ['not_found_error'] },
    { kind: 'size', status: 'none', code: ['request_too_large'] },
    { kind: 'timeout', status: 'none', code: ['timeout_error'] },
    { kind: 'request', status: 'none', code: ['invalid_request_error'] },
  ),
  // Errors of Google, from https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto
  ...rulesFrom(
    'google',
    { kind: 'operator', status: 'none', code: ['not_found'] },
    { kind: 'request', status: 'none', code: ['invalid_argument', 'out_of_range'] },
  ),
  // Errors of Amazon Bedrock, from https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html
  ...rulesFrom(
    'amazon-bedrock',
    { kind: 'catalog', status: 'none', code: ['resourcenotfoundexception'] },
    { kind: 'request', status: 'none', code: ['validationexception'] },
  ),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/error-codes
  ...rulesFrom('openai', {
    kind: 'request',
    status: 'none',
    code: [
      'invalid_request',
      'invalid_prompt',
      'invalid_image',
      'invalid_value',
      'badrequesterror',
      'invalid_parameter',
    ],
  }),
  // Errors of Alibaba, from https://help.aliyun.com/en/model-studio/error-code
  ...rulesFrom('alibaba', {
    kind: 'request',
    status: 'none',
    code: ['invalidparameter', 'invalid_parameter_error'],
  }),
];
