/** Rules for errors that need a change of the catalog: the provider does not have the model, or not any more. */

import { rulesFrom, type FaultRule } from './fault-rule.ts';

const SUBJECT = String.raw`(?:(?:the |this |requested |specified |your |free )*model(?: version| id| name)?:? ?[\`'"“]?[^\s\`'"”]{0,160}[\`'"”]?|(?:the )?[\`'"][^\s\`'"]{1,160}[\`'"] model),?`;
const FATE =
  'does not exist|do(?:es)? not exists|not exist|(?:is |was |were )?not found|is not available|isn.t available|is unavailable|is not supported|is not a valid|' +
  'is invalid|is deprecated|is decommissioned|is retired|is discontinued|is sunset|is disabled|is offline|is not recognized|is not enabled|is not deployed|is currently not supported|is no longer|has (?:been |reached )|have been |was (?:retired|removed|deprecated|shut down|sunset|disabled)|could not be found';
/** Matches "<model> does not exist" and the like, unless the message calls this temporary. */
const NAMED_MODEL_GONE = new RegExp(
  `^${SUBJECT} (?:${FATE})(?![\\s\\S]{0,80}(?:temporar|currently|right now|at the moment|overload|try again|retry))`,
  'i',
);
/** Matches a message which states that a model, whose name has a hyphen and a digit as in `model-4`, is gone. */
const NUMBERED_NAME_GONE =
  /^[`'"]?(?=[\w./:@-]{0,120}\d)[\w./:@]{1,60}-[\w./:@-]{1,100}[`'"]? (?:is|has been|was|has) (?:deprecated|retired|decommissioned|discontinued|sunset|shut down|removed|no longer (?:available|supported|served|offered)|unavailable for free|reached (?:its )?end)\b/i;
/** HTTP statuses with which providers report that a model does not exist or is gone. */
const MODEL_STATUSES = [400, 401, 403, 404, 410, 412, 422];

const goneModels: FaultRule[] = [
  // Errors of OpenAI, from https://platform.openai.com/docs/deprecations
  ...rulesFrom(
    'openai',
    {
      kind: 'catalog',
      code: [
        'model_not_found',
        'model_not_exist',
        'model_deprecated',
        'model_retired',
        'model_not_available',
        'model_not_supported',
        'unsupported_model',
        'unknown_model',
        'invalid_model',
        'invalid_model_name',
      ],
    },
    { kind: 'catalog', message: NAMED_MODEL_GONE },
    { kind: 'catalog', message: NUMBERED_NAME_GONE },
    // The catalog assigns the model to one of OpenAI's APIs, but the model supports only another API.
    {
      kind: 'catalog',
      // The second form is from OpenAI's API at Amazon Bedrock: https://github.com/mnfst/llm-gateway/issues/2657
      message:
        /^(?:This (?:is not a chat model|model is (?:only|not) supported in (?:the )?v1\/)|The model \S{1,120} does not support the \S?\/v1\/)/i,
    },
    {
      kind: 'catalog',
      // Deepgram's "No such model/version combination" means a voice that the client chose.
      message:
        /^(?:no such model\b(?!\/)|no model found|not supported model|unknown model|invalid model\b(?! (?:output|input|parameter))|unsupported model|model[ _]not[ _](?:found|exist)|(?:cannot|could not|can.t) find (?:the )?model\b|we no longer support (?:the )?model\b|not found the model|unrecognized model)/i,
    },
  ),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/about-claude/model-deprecations
  ...rulesFrom('anthropic', {
    kind: 'catalog',
    message: /^model: [\w.@:/-]{1,160}$/i,
  }),
  // Errors of Google, from https://ai.google.dev/gemini-api/docs/deprecations
  ...rulesFrom(
    'google',
    { kind: 'catalog', message: /^models\/[\w.-]{1,160} is not (?:found|supported)/i },
    { kind: 'catalog', message: /^This model models\/[\w.-]{1,160} is (?:no longer|not) available/i },
    { kind: 'catalog', message: /^Publisher Model\b/i },
  ),
  // Errors of Amazon Bedrock, from https://docs.aws.amazon.com/bedrock/latest/userguide/model-lifecycle.html
  ...rulesFrom(
    'amazon-bedrock',
    { kind: 'catalog', message: /^The provided model(?: identifier)? (?:is invalid|doesn.t support)/i },
    {
      kind: 'catalog',
      message: /^(?:Invocation of model ID \S{1,200} with )?on-demand throughput isn.t supported/i,
    },
    {
      kind: 'catalog',
      message:
        /^(?:Access denied\. )?This Model (?:is marked by provider as Legacy|version has reached the end of its life)/i,
    },
    { kind: 'catalog', message: /^Could not (?:resolve the foundation model|find model|validate the provided model)/i },
    // Source: https://github.com/aws-samples/amazon-bedrock-client-for-mac/issues/112
    { kind: 'catalog', message: /^(?:The model is unsupported for|This action doesn.t support the model)\b/i },
  ),
  // Errors of Azure, from https://learn.microsoft.com/en-us/azure/ai-foundry/openai/concepts/model-retirements
  ...rulesFrom(
    'azure',
    {
      kind: 'catalog',
      code: [
        'modelnotfound',
        'servicemodeldeprecated',
        'modeldeprecated',
        'modelretired',
        'unavailable_model',
        'operationnotsupported',
      ],
    },
    { kind: 'catalog', message: /^The \w{1,60} operation does not work with the specified model/i },
  ),
  // Errors of Alibaba, from https://help.aliyun.com/en/model-studio/error-code
  ...rulesFrom('alibaba', {
    kind: 'catalog',
    code: ['modelnotsupported', 'model_not_supported', 'unsupportedmodel'],
  }),
  // Errors of DeepSeek, from https://api-docs.deepseek.com/quick_start/error_codes
  ...rulesFrom('deepseek', {
    kind: 'catalog',
    message: /^(?:Model Not Exist|The supported API model names are\b)/i,
  }),
  // Errors of MiniMax, from https://platform.minimax.io/docs/api-reference/errorcode
  ...rulesFrom('minimax', {
    kind: 'catalog',
    message: /^invalid params, (?:unknown|unsupported|invalid) model/i,
  }),
  // Errors of Groq, from https://console.groq.com/docs/deprecations
  ...rulesFrom('groq', {
    kind: 'catalog',
    code: ['model_decommissioned'],
  }),
  // Errors of Z.ai, from https://docs.z.ai/api-reference/api-code
  ...rulesFrom('zai', {
    kind: 'catalog',
    code: ['1211', '1212', '1221', '1222'],
  }),
  // Errors of Mistral, from https://docs.mistral.ai/getting-started/models/models_overview/
  ...rulesFrom('mistral', {
    kind: 'catalog',
    code: ['1500'],
  }),
  // Errors of Together, from https://docs.together.ai/docs/error-codes
  ...rulesFrom('togetherai', {
    kind: 'catalog',
    message: /^Unable to access (?:non-serverless )?model/i,
  }),
  // Errors of OpenRouter, from https://openrouter.ai/docs/api-reference/errors
  ...rulesFrom('openrouter', {
    kind: 'catalog',
    message:
      /^(?:[\w./:-]{1,160} is (?:not a valid model ID|unavailable for free)|No endpoints found for [\w./:-]{1,160}\.?$)/i,
  }),
  // Errors of Hugging Face, from https://huggingface.co/docs/inference-providers/index
  ...rulesFrom('huggingface', {
    kind: 'catalog',
    message: /^The requested model [`'"]?[^\s]{1,160}[`'"]? is not supported by any provider/i,
  }),
  // Errors of Perplexity, from https://docs.perplexity.ai/getting-started/models
  ...rulesFrom('perplexity', {
    kind: 'catalog',
    message: /^Invalid model '/i,
  }),
  // Errors of Yandex, from https://yandex.cloud/en/docs/ai-studio/troubleshooting/error-codes
  ...rulesFrom('yandex', {
    kind: 'catalog',
    message: /^(?:Failed to get model|invalid model_uri|unknown model)/i,
  }),
  // Errors of Runway, from https://docs.dev.runwayml.com/errors/errors/
  ...rulesFrom('runway', {
    kind: 'catalog',
    message: /^Model variant \S{1,80} is not available/i,
  }),
];

export const modelRules: FaultRule[] = goneModels.flatMap((rule): FaultRule[] => [
  { ...rule, status: MODEL_STATUSES },
  { ...rule, status: 'none' },
]);
