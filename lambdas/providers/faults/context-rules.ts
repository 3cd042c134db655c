/**
 * Rules that detect a prompt longer than the model's context. Sources are the lists of messages that agents maintain:
 * https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts,
 * https://github.com/anomalyco/opencode/issues/17762, https://github.com/anomalyco/opencode/issues/49965,
 * https://github.com/can1357/oh-my-pi/issues/3752.
 */

import { rulesFrom, type FaultRule } from './fault-rule.ts';

const CODES = [
  'context_length_exceeded',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'exceed_context_size_error',
  'too_many_prompt_tokens',
  'too_many_tokens',
  'prompt_too_long',
  'string_above_max_length_context',
  'max_context_length_exceeded',
  'content_length_exceeds_threshold',
  'contextwindowexceedederror',
];

const overflows: FaultRule[] = [
  // Errors of Anthropic, from https://platform.claude.com/docs/en/build-with-claude/context-windows
  ...rulesFrom(
    'anthropic',
    { kind: 'context', message: /prompt is too long: (?<asked>\d+) tokens > (?<limit>\d+)/i },
    { kind: 'context', message: /input length and [`'"]?max_tokens[`'"]? exceed context limit/i },
    { kind: 'context', message: /prompt (?:is )?too long/i },
  ),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/conversation-state
  ...rulesFrom(
    'openai',
    {
      kind: 'context',
      message:
        /maximum context length (?:is|of) (?<limit>[\d,]+) tokens?[\s\S]{0,80}?(?:requested|resulted in|request has|contains|provided|used)\D{0,40}?(?<asked>[\d,]+)/i,
    },
    { kind: 'context', message: /exceeds the context window/i },
  ),
  // Errors of Google, from https://ai.google.dev/gemini-api/docs/long-context
  ...rulesFrom(
    'google',
    {
      kind: 'context',
      message: /input token count \(?(?<asked>\d+)\)? exceeds the maximum number of tokens allowed \(?(?<limit>\d+)/i,
    },
    { kind: 'context', message: /input token count\b[\s\S]{0,60}exceeds the maximum/i },
    // Vertex AI words the error in this way.
    {
      kind: 'context',
      message: /input token count is (?<asked>\d+) but (?:the )?model (?:only )?supports up to (?<limit>\d+)/i,
    },
  ),
  // Errors of Amazon Bedrock, from https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
  ...rulesFrom(
    'amazon-bedrock',
    {
      kind: 'context',
      message: /^(?:the )?input is too long\b|input is too long for (?:the |this )?(?:requested )?model/i,
    },
    {
      kind: 'context',
      message: /too many input tokens\. Max input tokens: (?<limit>\d+), request input token count: (?<asked>\d+)/i,
    },
    {
      kind: 'context',
      message: /(?:input tokens exceeded|number of input tokens exceeds|too many input tokens|max input tokens)/i,
    },
  ),
  // Errors of xAI, from https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts
  ...rulesFrom('xai', {
    kind: 'context',
    message: /maximum prompt length is (?<limit>\d+) but the request contains (?<asked>\d+)/i,
  }),
  // Errors of Moonshot, from https://github.com/anomalyco/opencode/issues/17762
  ...rulesFrom(
    'moonshotai',
    { kind: 'context', message: /exceeded model token limit: (?<limit>\d+) \(requested: (?<asked>\d+)\)/i },
    { kind: 'context', message: /input token length (?:is )?too long/i },
    // Source: https://github.com/MoonshotAI/kimi-code/issues/1862
    { kind: 'context', message: /^total message size \d+ exceeds limit/i },
  ),
  // Errors of llama.cpp, from https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  ...rulesFrom(
    'llama-cpp',
    {
      kind: 'context',
      message: /request \((?<asked>\d+) tokens\) exceeds the available context size \((?<limit>\d+) tokens\)/i,
    },
    {
      kind: 'context',
      message: /exceeds the available context size|input is (?:too large|larger than the max context size)|n_ctx_slot/i,
    },
  ),
  // Errors of Z.ai, from https://docs.z.ai/api-reference/api-code
  ...rulesFrom(
    'zai',
    { kind: 'context', code: ['1261'] },
    {
      kind: 'context',
      message:
        /prompt exceeds max(?:imum)? (?:context )?length|tokens in request (?:are )?more than max(?:imum)? tokens/i,
    },
  ),
  // Errors of Alibaba, from https://help.aliyun.com/en/model-studio/error-code
  ...rulesFrom(
    'alibaba',
    { kind: 'context', message: /range of input length should be \[\d+, ?(?<limit>\d+)\]/i },
    { kind: 'context', message: /total message token length exceed model limit/i },
  ),
  // Errors of Mistral, from https://docs.mistral.ai/getting-started/glossary/
  ...rulesFrom(
    'mistral',
    {
      kind: 'context',
      message:
        /prompt contains (?<asked>\d+) tokens[\s\S]{0,120}too large for model with (?<limit>\d+) maximum context length/i,
    },
    { kind: 'context', message: /too large for model with (?<limit>\d+) maximum context length/i },
  ),
  // Errors of Cerebras, from https://inference-docs.cerebras.ai/support/error
  ...rulesFrom('cerebras', {
    kind: 'context',
    message: /current length is (?<asked>\d+) while limit is (?<limit>\d+)/i,
  }),
  // Errors of Groq, from https://console.groq.com/docs/errors
  ...rulesFrom('groq', {
    kind: 'context',
    message: /reduce the length of the (?:messages|prompt|input|conversation)/i,
  }),
  // Errors of Ollama, from https://github.com/ollama/ollama/blob/main/docs/faq.mdx
  ...rulesFrom(
    'ollama',
    { kind: 'context', message: /prompt too long; exceeded (?:max )?context length/i },
    {
      kind: 'context',
      message: /prompt has (?<asked>[\d,]+) tokens?, but the configured context size is (?<limit>[\d,]+)/i,
    },
  ),
  // Errors of Cohere, from https://docs.cohere.com/reference/errors
  ...rulesFrom(
    'cohere',
    {
      kind: 'context',
      message:
        /too many tokens: [\s\S]{0,60}exceeded by (?<over>\d+) tokens[\s\S]{0,120}limit for this model is (?<limit>\d+)/i,
    },
    {
      kind: 'context',
      message: /total (?:number of )?tokens exceeds? the model'?s max(?:imum)?(?: of (?<limit>\d+))?/i,
    },
  ),
  // Errors of Together, from https://docs.together.ai/docs/error-codes
  ...rulesFrom(
    'togetherai',
    {
      kind: 'context',
      message: /input \((?<asked>\d+) tokens\) is longer than the model'?s context length \((?<limit>\d+) tokens\)/i,
    },
    {
      kind: 'context',
      message: /tokens \+ [`'"]?max_new_tokens[`'"]? must be <= (?<limit>\d+)\. Given: (?<asked>\d+)/i,
    },
  ),
  // Errors of SiliconFlow, from https://github.com/infiniflow/ragflow/issues/7060
  ...rulesFrom('litellm', {
    kind: 'context',
    message:
      /(?:length of prompt_tokens|max_total_tokens) \((?<asked>\d+)\) must be less than (?:or equal to )?max_seq_len \((?<limit>\d+)\)/i,
  }),
  // Errors of SGLang, from https://github.com/sgl-project/sglang/blob/main/python/sglang/srt/managers/utils.py
  ...rulesFrom('litellm', {
    kind: 'context',
    message: /^input length \((?<asked>\d+) tokens\) exceeds the maximum allowed length \((?<limit>\d+) tokens\)/i,
  }),
  // Errors of Fireworks, from https://docs.fireworks.ai/guides/inference-error-codes
  ...rulesFrom('fireworks-ai', {
    kind: 'context',
    message: /prompt is too long: (?<asked>\d+), model maximum context length: (?<limit>\d+)/i,
  }),
  // Errors of vLLM, from https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/serving_engine.py
  ...rulesFrom(
    'vllm',
    { kind: 'context', message: /max_model_len|maximum model length/i },
    {
      kind: 'context',
      message: /prompt \(length (?<asked>\d+)\) (?:is longer than|exceeds) the maximum model length of (?<limit>\d+)/i,
    },
    {
      kind: 'context',
      message: /(?:passed|has) (?<asked>\d+) input tokens[\s\S]{0,120}context length is (?:only )?(?<limit>\d+)/i,
    },
  ),
  // Errors of llama.cpp and Volcengine, from https://github.com/NousResearch/hermes-agent
  ...rulesFrom('litellm', {
    kind: 'context',
    message: /slot context: (?<limit>\d+) tokens, prompt (?<asked>\d+)|exceeds? max message tokens/i,
  }),
  // Errors of MiniMax, from https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts
  ...rulesFrom('minimax', { kind: 'context', message: /context window exceeds limit/i }),
  // Errors of LM Studio, from https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts
  ...rulesFrom('lm-studio', { kind: 'context', message: /greater than the context length/i }),
  // Errors of LM Studio, from https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/546
  ...rulesFrom('lm-studio', {
    kind: 'context',
    message: /^Trying to keep the first (?<asked>\d+) tokens when [\s\S]{0,80} context length of only (?<limit>\d+)/i,
  }),
  // Errors of Yandex, from https://yandex.cloud/en/docs/ai-studio/concepts/limits
  ...rulesFrom('yandex', {
    kind: 'context',
    message: /number of input tokens must be no more than (?<limit>\d+), got (?<asked>\d+)/i,
  }),
  // Errors of GigaChat, from https://developers.sber.ru/docs/ru/gigachat/api/errors-description
  ...rulesFrom('gigachat', {
    kind: 'context',
    message: /tokens? (?:limit|length|count) (?:is )?exceed|превышен\S* (?:лимит|максимальн\S*) [^\n]{0,40}токен/i,
  }),
  // Errors of Perplexity, from https://docs.perplexity.ai/api-reference/chat-completions-post
  ...rulesFrom('perplexity', {
    kind: 'context',
    message: /total length of all messages is too long/i,
  }),
  // Errors of OpenRouter, from https://github.com/badlogic/pi-mono/blob/main/packages/ai/src/utils/overflow.ts
  ...rulesFrom(
    'openrouter',
    { kind: 'context', message: /token count of (?<asked>\d+) exceeds the limit of (?<limit>\d+)/i },
    { kind: 'context', message: /exceeds (?:the )?maximum allowed (?:input length of|token size) (?<limit>[\d,]+)/i },
  ),
  // Errors of LiteLLM, from https://docs.litellm.ai/docs/exception_mapping
  ...rulesFrom(
    'litellm',
    { kind: 'context', message: /ContextWindowExceededError/ },
    { kind: 'context', code: CODES },
    { kind: 'context', message: /context[_ ](?:length|window|size|limit)[_ ](?:is |was |has been )?exceed/i },
    {
      kind: 'context',
      message:
        /exceed(?:s|ed|ing)? (?:the |its |our |this )?(?:model'?s? )?(?:maximum |max |configured |available )?(?:context|(?:prompt|input) (?:length|tokens?|limit))/i,
    },
    {
      kind: 'context',
      message: /maximum (?:context length|prompt length|input tokens?)|context (?:length|window) is (?:only )?\d+/i,
    },
    {
      kind: 'context',
      message:
        /input tokens? exceeds?|too many (?:input |prompt )?tokens\b(?!,? (?:per|please wait|in (?:a|the last) ))/i,
    },
    {
      kind: 'context',
      message:
        /(?:prompt|input|conversation|messages?) (?:is|are) (?:too long|longer than)\b[\s\S]{0,60}(?:context|model|token)/i,
    },
    {
      kind: 'context',
      message: /token limit exceeded|上下文长度|(?:输入|上下文|提示词|token)[^\n]{0,16}(?:超过|超出|过长|超长)/i,
    },
    {
      kind: 'context',
      message:
        /(?:prompt|input|request|messages?)(?: has| contains)?,? (?:tokens?(?: count)? )?\(?(?<asked>[\d,]+)\)?(?: tokens?)?,? (?:which )?(?:exceeds?|is more than|but (?:the|this) model supports at most) (?:the )?(?:maximum |max |limit )?(?:of )?(?<limit>[\d,]+)(?! ?tokens? per)/i,
    },
    {
      kind: 'context',
      message:
        /^(?![^\n]{0,60}max_(?:\w{1,20}_)?tokens\b)[^\n]{0,200}supports at most (?<limit>[\d,]+) tokens?,? (?:but|whereas|and) (?:you (?:provided|sent) )?(?<asked>[\d,]+)/i,
    },
    {
      kind: 'context',
      message:
        /(?:prompt|input|request)[ _]?(?:tokens?|length|count)?(?: count)?(?! (?:payload|body|size))[^.\n]{0,24} exceeds? (?:the )?(?:max_seq_len|(?:token )?limit\b(?! of \d+ tokens? per)|maximum (?:number )?of (?:\d|tokens))/i,
    },
    {
      kind: 'context',
      message:
        /tokens in (?:the|your) (?:input|prompt|request|messages)[^.\n]{0,24} exceeds?|inputs?[`'"]? must have less than (?<limit>[\d,]+) tokens/i,
    },
    {
      kind: 'context',
      message: /(?:sum|total) of (?:the )?(?:prompt|input)[^.\n]{0,40}\bmax_(?:\w{1,20}_)?tokens\b/i,
    },
    {
      kind: 'context',
      message:
        /^(?:(?:the|your) )?(?:prompt|input|request|conversation|messages?(?: you submitted)?) (?:is |are )?too (?:long|large|big)\b(?! for field)|^(?:the )?context (?:window |length |size )?(?:limit )?(?:has been |is |was )?(?:reached|full|exhausted)/i,
    },
  ),
];

/** Statuses with which these messages mean a prompt that is too long. With 429, "too many tokens" is a rate limit. */
const OVERFLOW_STATUSES = [400, 413, 422, 500];

export const contextRules: FaultRule[] = overflows.flatMap((rule): FaultRule[] => [
  { ...rule, status: OVERFLOW_STATUSES },
  { ...rule, status: 'none' },
]);

/** Statuses that usually mean another error, unless the message clearly states that the prompt is too long. */
const RELAYED_STATUSES = [403, 429, 502, 503, 504, 529];

/**
 * Rules for messages that certainly mean a prompt that is too long. Relays and Vertex AI send them with statuses such
 * as 429 and 502, and with codes of rate limits.
 */
export const plainContextRules: FaultRule[] = [
  // Errors of Google, from https://github.com/vellum-ai/vellum-assistant/pull/26210
  ...rulesFrom('google', {
    kind: 'context',
    status: RELAYED_STATUSES,
    message:
      /^(?:The )?input token count \(?(?<asked>\d+)\)? exceeds the maximum number of tokens allowed \(?(?<limit>\d+)/i,
    isGeneral: true,
  }),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/build-with-claude/context-windows
  ...rulesFrom('anthropic', {
    kind: 'context',
    status: RELAYED_STATUSES,
    message: /^prompt is too long: (?<asked>\d+) tokens > (?<limit>\d+) maximum/i,
    isGeneral: true,
  }),
  // Errors of OpenAI, OpenRouter and SGLang, from https://github.com/anomalyco/opencode/issues/25231
  ...rulesFrom('openai', {
    kind: 'context',
    status: RELAYED_STATUSES,
    message:
      /^(?:This (?:model|endpoint)'s|Requested token count exceeds the model's) maximum context length (?:is|of) (?<limit>[\d,]+) tokens(?:[\s\S]{0,80}?(?:requested|resulted in|contains|used)\D{0,40}?(?<asked>[\d,]+))?/i,
    isGeneral: true,
  }),
  // Errors of Amazon Bedrock, from https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html
  ...rulesFrom('amazon-bedrock', {
    kind: 'context',
    status: RELAYED_STATUSES,
    message: /^Input is too long for requested model/i,
    isGeneral: true,
  }),
];
