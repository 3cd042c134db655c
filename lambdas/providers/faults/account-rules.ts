/** Rules for errors that only the operator can fix, and for a rate limit whose code looks like an empty balance. */

import { rulesFrom } from './fault-rule.ts';

export const accountRules = [
  // At Alibaba, these codes mean the limit of tokens per minute. An empty balance has other codes.
  // Errors of Alibaba, from https://www.alibabacloud.com/help/en/model-studio/rate-limit
  ...rulesFrom('alibaba', {
    kind: 'rate',
    code: ['insufficient_quota', 'throttling.allocationquota'],
    isOwn: true,
  }),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/error-codes
  ...rulesFrom(
    'openai',
    {
      kind: 'operator',
      code: [
        'insufficient_quota',
        'billing_not_active',
        'billing_hard_limit_reached',
        'account_deactivated',
        'access_terminated',
        'invalid_api_key',
        'invalid_organization',
        'invalid_project',
        'mismatched_organization',
        'mismatched_project',
        'missing_scope',
        'insufficient_permissions',
        'ip_not_authorized',
        'unsupported_country_region_territory',
        'incorrect_hostname',
        'organization_deactivated',
        'project_archived',
      ],
    },
    { kind: 'operator', message: /^Incorrect API key provided/i },
    { kind: 'operator', message: /^You exceeded your current quota[\s\S]{0,160}platform\.openai\.com/i },
    {
      kind: 'operator',
      message: /^(?:You must be a member of an organization|Your account is not active|Your access was terminated)/i,
    },
    { kind: 'operator', message: /^You have insufficient permissions for this operation/i },
    // Waiting does not help with a limit of zero: the operator's account has no access to the model or the kind of
    // input.
    {
      kind: 'operator',
      message: /^(?:Rate limit reached|Request too large) for [^\n]{0,240}\bLimit:? 0\b(?![.,]?\d)/i,
    },
    {
      kind: 'operator',
      message: /^(?:Country, region, or territory not supported|Attempted to access resource with incorrect regional)/i,
    },
  ),
  // Errors of OpenAI, from https://help.openai.com/en/articles/10910291-api-organization-verification
  ...rulesFrom('openai', {
    kind: 'operator',
    message: /^(?:Your|This|The) organization (?:must be|is not|has not been|needs to be) verified/i,
  }),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/rbac
  ...rulesFrom(
    'openai',
    { kind: 'operator', message: /^Project [`'"]?[\w-]{1,80}[`'"]? (?:does not|has not|is not)/i },
    {
      kind: 'operator',
      message:
        /^Your (?:project|organization|account|team|workspace|subscription|plan) [^.\n]{0,80}(?:does not (?:have|include)|do not have|not have|not authorized|not allowed|not enabled|suspended|disabled|archived|restricted|blocked|expired|overdue)/i,
    },
  ),
  // Some organizations forbid OpenAI to store prompts, or limit how long it stores them. Models and regions that
  // require storage reject the requests of these organizations. Errors of OpenAI, from
  // https://platform.openai.com/docs/guides/your-data
  ...rulesFrom('openai', {
    kind: 'operator',
    message:
      /^(?:this model|the (?:requested )?model|your organization|the organization|this organization|zero data retention|data retention|data.?sharing)[^\n]{0,160}(?:data (?:policy|policies|retention|sharing|collection|residency)|zero data retention|ZDR)|^data retention mode/i,
  }),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/api/errors
  ...rulesFrom(
    'anthropic',
    { kind: 'operator', code: ['authentication_error', 'permission_error', 'billing_error'] },
    { kind: 'operator', message: /^Your credit balance is too low/i },
    { kind: 'operator', message: /^You have reached your specified (?:\w+ ){0,2}usage limits/i },
    { kind: 'operator', message: /^This organization has been disabled/i },
    {
      kind: 'operator',
      message: /^(?:invalid x-api-key|OAuth authentication is|OAuth token|This credential is only authorized)/i,
    },
    { kind: 'operator', message: /^Third-party apps now draw from/i },
    // Waiting does not help with a limit of zero: only the operator can get a higher limit.
    { kind: 'operator', message: /^This request would exceed [^\n]{0,160}\brate limit\b[^\n]{0,120} of 0 /i },
    // For a long prompt, the operator's account needs a paid option. Another endpoint may accept the prompt.
    {
      kind: 'operator',
      message:
        /^(?:Extra usage is|Usage credits are) required for long context|^The long context beta is not yet available/i,
    },
  ),
  // Errors of Anthropic, from https://github.com/NousResearch/hermes-agent/pull/52869
  ...rulesFrom('anthropic', { kind: 'operator', message: /^You(?:['’]re| are) out of extra usage\b/i }),
  // Errors of Google, from https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto
  ...rulesFrom(
    'google',
    {
      kind: 'operator',
      code: [
        'api_key_invalid',
        'api_key_service_blocked',
        'api_key_http_referrer_blocked',
        'api_key_ip_address_blocked',
        'api_key_android_app_blocked',
        'api_key_ios_app_blocked',
        'service_disabled',
        'billing_disabled',
        'consumer_suspended',
        'consumer_invalid',
        'access_token_expired',
        'access_token_scope_insufficient',
        'access_token_type_unsupported',
        'account_state_invalid',
        'account_disabled',
        'credentials_missing',
        'user_project_denied',
        'resource_project_invalid',
        'iam_permission_denied',
        'security_policy_violated',
        'org_restriction_violation',
        'location_policy_violated',
        'user_blocked_by_admin',
      ],
    },
    // This code means a project or region in the wrong state. An earlier rule matches a client's file in the wrong
    // state.
    { kind: 'operator', code: ['failed_precondition'] },
  ),
  // Errors of Google, from https://ai.google.dev/gemini-api/docs/troubleshooting
  ...rulesFrom(
    'google',
    { kind: 'operator', code: ['unauthenticated', 'permission_denied'] },
    {
      kind: 'operator',
      message: /^(?:API key (?:not valid|expired)|Your API key was reported as leaked|User location is not supported)/i,
    },
    { kind: 'operator', message: /^Gemini API free tier is not available/i },
    // Source: https://github.com/ammaarreshi/openjourney/issues/1
    { kind: 'operator', message: /^\w{1,20} API is only accessible to billed users/i },
    {
      kind: 'operator',
      message: /^Your (?:prepayment credits|prepaid credits|project has exceeded its (?:monthly )?spending)/i,
    },
    { kind: 'operator', message: /^You exceeded your current quota[\s\S]{0,1500}\blimit: 0\b/i },
    { kind: 'operator', message: /^Publisher Model [`'"]?[^\s]{1,200} is not servable in region/i },
  ),
  // Errors of Amazon Bedrock, from https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
  ...rulesFrom(
    'amazon-bedrock',
    {
      kind: 'operator',
      code: [
        'accessdeniedexception',
        'unrecognizedclientexception',
        'expiredtokenexception',
        'expiredtoken',
        'invalidsignatureexception',
        'incompletesignature',
        'missingauthenticationtokenexception',
        'invalidclienttokenid',
        'optinrequired',
        'notauthorized',
      ],
    },
    {
      kind: 'operator',
      message:
        /^(?:The security token included in the request|The request signature we calculated|Signature expired|Missing Authentication Token)/i,
    },
    {
      kind: 'operator',
      message:
        /^(?:You don't have access to the model|Access to (?:this|the|Anthropic|Bedrock) models? is not allowed|Model access is denied|Access denied(?!\. This Model is marked))/i,
    },
    {
      kind: 'operator',
      message:
        /^(?:(?:Your|This) account is not authorized|Your AWS Marketplace subscription|Operation not allowed$|Operation not allowed\.|Model use case details have not been submitted|INVALID_PAYMENT_INSTRUMENT)/i,
    },
    { kind: 'operator', message: /^User: arn:aws[\w-]*:[^\s]{1,200} is not authorized/i },
  ),
  // Errors of Azure, from https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/quota
  ...rulesFrom(
    'azure',
    {
      kind: 'operator',
      code: [
        'deploymentnotfound',
        'deploymentnotready',
        'resourcenotfound',
        'permissiondenied',
        'accessdenied',
        'unauthorized',
        'subscriptionnotregistered',
        'subscriptionisoverquotaforsku',
        'subscriptiondisabled',
        'invalidsubscriptionid',
        'invalidapiversion',
        'unsupportedapiversion',
      ],
    },
    {
      kind: 'operator',
      message:
        /^(?:The API deployment for this resource does not exist|API version not supported|Missing required query parameter: api-version)/i,
    },
    {
      kind: 'operator',
      message:
        /^(?:Access denied due to|Public access is disabled|Traffic is not from an approved private endpoint|Your resource has been temporarily blocked)/i,
    },
    { kind: 'operator', message: /^Model \S{1,80} is enabled only for api versions/i },
  ),
  // Errors of Alibaba, from https://help.aliyun.com/en/model-studio/error-code
  ...rulesFrom(
    'alibaba',
    {
      kind: 'operator',
      code: [
        'arrearage',
        'invalidapikey',
        'access_denied',
        'accessdenied.unpurchased',
        'model.accessdenied',
        'workspace.accessdenied',
        'app.accessdenied',
        'allocationquota.freetieronly',
        'prepaidbilloverdue',
        'postpaidbilloverdue',
        'commoditynotpurchased',
      ],
    },
    {
      kind: 'operator',
      message:
        /^(?:Access denied, please make sure your account is in good standing|The free (?:tier|quota) of the model has been exhausted|Invalid API-key)/i,
    },
  ),
  // Errors of DeepSeek, from https://api-docs.deepseek.com/quick_start/error_codes
  ...rulesFrom('deepseek', {
    kind: 'operator',
    message: /^(?:Insufficient (?:account )?balance|Authentication Fails)/i,
  }),
  // Errors of Moonshot, from https://platform.moonshot.ai/docs/api/errors
  ...rulesFrom(
    'moonshotai',
    {
      kind: 'operator',
      code: [
        'exceeded_current_quota_error',
        'invalid_authentication_error',
        'incorrect_api_key_error',
        'permission_denied_error',
        'account_suspended_error',
      ],
    },
    {
      kind: 'operator',
      message:
        /^(?:Your account|You exceeded your current token quota)[^\n]{0,160}(?:suspended|insufficient balance|billing|quota)/i,
    },
  ),
  // Errors of Z.ai, from https://docs.z.ai/api-reference/api-code
  ...rulesFrom(
    'zai',
    {
      kind: 'operator',
      code: [
        '1000',
        '1001',
        '1002',
        '1003',
        '1004',
        '1005',
        '1110',
        '1111',
        '1112',
        '1113',
        '1120',
        '1121',
        '1220',
        '1309',
        '1311',
        '1313',
      ],
    },
    {
      kind: 'operator',
      message: /^(?:Insufficient balance or no resource package|token expired or incorrect|余额不足)/i,
    },
  ),
  // Errors of MiniMax, from https://platform.minimax.io/docs/api-reference/errorcode
  ...rulesFrom(
    'minimax',
    { kind: 'operator', code: ['1004', '1008', '2049', '2061'] },
    {
      kind: 'operator',
      message:
        /^(?:insufficient balance|login fail|invalid api key|your (?:current )?(?:token )?plan (?:does )?not support)/i,
    },
  ),
  // Errors of Groq, from https://console.groq.com/docs/errors
  ...rulesFrom(
    'groq',
    {
      kind: 'operator',
      code: [
        'model_permission_blocked_org',
        'model_permission_blocked_project',
        'permissions_error',
        'organization_restricted',
        'blocked_api_access',
        'model_terms_required',
        'expired_api_key',
        'project_not_found',
      ],
    },
    {
      kind: 'operator',
      message:
        /^(?:Organization has been restricted|The model \S{1,100} requires terms acceptance|The model \S{1,100} is blocked at the)/i,
    },
  ),
  // Errors of xAI, from https://docs.x.ai/docs/key-information/debugging
  ...rulesFrom(
    'xai',
    {
      kind: 'operator',
      message:
        /^Your (?:newly created )?team [^\n]{0,160}(?:credits|spending limit|licenses|permission|disabled|blocked)/i,
    },
    { kind: 'operator', message: /^The model [^\s]{1,100} is not available in your region/i },
    { kind: 'operator', code: ['unauthenticated:bad-credentials', 'no-auth-context'] },
  ),
  // Errors of Mistral, from https://docs.mistral.ai/api/
  ...rulesFrom('mistral', {
    kind: 'operator',
    message: /^(?:Invalid API Key|Unauthorized$|Inactive subscription|You have no active subscription)/i,
  }),
  // Errors of Cohere, from https://docs.cohere.com/reference/errors
  ...rulesFrom('cohere', {
    kind: 'operator',
    message:
      /^(?:invalid (?:api )?token|no api key supplied|Please add or update your payment method|You are using a Trial key, which is limited to \d+ API calls? \/ month)/i,
  }),
  // Errors of Together, from https://docs.together.ai/docs/error-codes
  ...rulesFrom(
    'togetherai',
    { kind: 'operator', code: ['credit_limit', 'credit_limit_exceeded'] },
    { kind: 'operator', message: /^Credit limit exceeded/i },
  ),
  // Errors of Fireworks, from https://docs.fireworks.ai/guides/inference-error-codes
  ...rulesFrom('fireworks-ai', {
    kind: 'operator',
    message: /^Account \S{1,100} is suspended/i,
  }),
  // Errors of DeepInfra, from https://deepinfra.com/docs/advanced/errors
  ...rulesFrom('deepinfra', {
    kind: 'operator',
    message: /^inference prohibited/i,
  }),
  // Errors of OpenRouter, from https://openrouter.ai/docs/api-reference/errors
  ...rulesFrom(
    'openrouter',
    {
      kind: 'operator',
      message:
        /^(?:No endpoints found matching your (?:data policy|guardrail)|No allowed providers are available|All providers have been ignored)/i,
    },
    {
      kind: 'operator',
      message:
        /^(?:Insufficient credits|Key limit exceeded|No auth credentials found|User not found|This request requires more credits)/i,
    },
  ),
  // Errors of Yandex, from https://yandex.cloud/en/docs/ai-studio/troubleshooting/error-codes
  ...rulesFrom(
    'yandex',
    {
      kind: 'operator',
      message:
        /^(?:Specified folder ID|Unknown api key|Permission (?:to \[[^\]]{0,200}\] )?denied|The cloud \S{1,60} is inactive|Billing account)/i,
    },
    { kind: 'operator', code: ['7', '9', '16'] },
  ),
  // Errors of GigaChat, from https://developers.sber.ru/docs/ru/gigachat/api/errors-description
  ...rulesFrom('gigachat', {
    kind: 'operator',
    message: /^(?:Token has expired|Payment Required|Permission denied)/i,
  }),
];
