/** Rules for unreadable reasoning, and for requests at fault, some of which other endpoints accept (`elsewhere`). */

import { rulesFrom } from './fault-rule.ts';

export const reasoningRules = [
  // Errors of OpenAI, from https://github.com/openai/codex/issues/8145
  ...rulesFrom(
    'openai',
    { kind: 'reasoning', code: ['invalid_encrypted_content', 'thinking_signature_invalid'] },
    { kind: 'reasoning', message: /^The encrypted content\b[\s\S]{0,400}could not be (?:verified|decrypted|parsed)/i },
    { kind: 'reasoning', message: /^Encrypted content (?:is invalid|could not be)/i },
  ),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/reasoning
  ...rulesFrom('openai', {
    kind: 'reasoning',
    message:
      /^Item (?:with id )?[`'"]?rs_\w{1,200}[`'"]?[\s\S]{0,60}(?:not found|was provided without|of type 'reasoning')/i,
  }),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/build-with-claude/extended-thinking
  ...rulesFrom(
    'anthropic',
    {
      kind: 'reasoning',
      message:
        /^(?:messages\.\d+\.content\.\d+: ?)?(?:\w+: )?Invalid [`'"]?(?:signature|data)[`'"]? in [`'"]?(?:redacted_)?thinking[`'"]? block/i,
    },
    {
      kind: 'reasoning',
      message:
        /^(?:messages\.\d+\.content\.\d+: ?)?[`'"]?thinking[`'"]? or [`'"]?redacted_thinking[`'"]? blocks in the latest assistant message cannot be modified/i,
    },
  ),
  // Errors of Anthropic, from https://github.com/anthropics/claude-code/issues/2171
  ...rulesFrom(
    'anthropic',
    {
      kind: 'reasoning',
      message: /^messages\.\d+\.content\.\d+: When providing [`'"]?thinking[`'"]? or [`'"]?redacted_thinking\b/i,
    },
    {
      kind: 'reasoning',
      message: /^messages\.\d+\.content\.\d+: If an assistant message contains any thinking blocks\b/i,
    },
    { kind: 'reasoning', message: /^messages\.\d+\.content\.\d+\.thinking\.signature: Field required/i },
  ),
  // Errors of xAI, from https://github.com/openclaw/openclaw/issues/97925
  ...rulesFrom('xai', {
    kind: 'reasoning',
    message: /^Could not (?:decrypt|decode) the (?:provided )?(?:encrypted_content|compaction blob)\b/i,
  }),
  // Errors of Meta, from https://github.com/anomalyco/opencode/issues/49116
  ...rulesFrom('meta', { kind: 'reasoning', message: /^reasoning [`'"]?encrypted_content[`'"]? was not issued to/i }),
  // Errors of Google, from https://ai.google.dev/gemini-api/docs/thought-signatures
  ...rulesFrom('google', {
    kind: 'reasoning',
    message:
      /^(?:Unable to submit request because )?(?:Invalid|Corrupted|The)? ?thought[ _]?signature\b[^\n]{0,80}|^Thought signature is not valid|^Corrupted thought signature|^Invalid value at [`'"][\w.[\]]{1,80}\.thought_signature\b/i,
  }),
];

/** Words for content that the client sends by URL, by id or as base64. */
const MEDIA = '(?:images?|pictures?|media|files?|audio|videos?|documents?|pdf|recordings?|url)';
/**
 * Words for the provider's own files. A message that one of these cannot be downloaded is not about the client's media.
 */
const OWN_FILES = '(?:models?|tokenizers?|weights|checkpoints?|adapters?|inference|backend)';
/** Matches a message which states that the client's media cannot be fetched or decoded. */
const UNREADABLE_MEDIA = new RegExp(
  String.raw`^(?![^\n]{0,80}\s${OWN_FILES}\b)(?:(?:an )?error|failed|failure|unable|cannot|could not|(?:request )?timed? ?out)\b[^\n]{0,40}\b(?:download|fetch|retriev|decod|identify)[a-z]{0,3}\b[^\n]{0,40}\b${MEDIA}\b|^(?:the )?${MEDIA}\b[^\n]{0,80}\b(?:could not|cannot|can.t) be (?:fetched|downloaded|retrieved|decoded|opened)`,
  'i',
);

/** Words for parts of a request whose number or size providers limit differently. */
const LIMITED = '(?:tools?|functions?|function declarations|images?|documents?|media|pages)';
/** Matches a message about a limit on these parts. A message that mentions tokens may be about the context instead. */
const BEYOND_LIMIT = new RegExp(
  String.raw`^(?![\s\S]{0,500}\btokens?\b)[\s\S]{0,300}?(?:\btoo (?:many|much) ${LIMITED}\b|\bat most \d{1,5} ${LIMITED}|\bmaximum of \d{1,5} (?:pdf )?${LIMITED}\b|\bnumber of ${LIMITED}\b[^\n]{0,60}\b(?:exceeds?|maximum|limit|at most)\b|\b${LIMITED} (?:number|count|dimensions)\b[^\n]{0,20} exceeds?\b|\bimage exceeds \d|\btools['"]?: array too long|\blevels of nesting exceeds?\b|\btoo many states for serving|\bschema is too complex)`,
  'i',
);

/**
 * Matches a message about the endpoint's maximum of output tokens. A message that also mentions the prompt may be about
 * the context instead.
 */
const BEYOND_OUTPUT_LIMIT =
  /^(?![\s\S]{0,400}\b(?:inputs?|prompt|messages?|budget|context length)\b)[^\n]{0,60}?\b(?:max[_ ](?:\w{1,20}_)?tokens|maxOutputTokens|maximum tokens)\b[^\n]{0,60}(?: must be | cannot be | exceeds | too large\b| should be | range | > |: integer above maximum value\b)/i;

export const requestRules = [
  // Limits differ by endpoint: Bedrock accepts 20 images for a model that accepts more at Anthropic.
  // Errors of Amazon Bedrock, from https://github.com/aws-samples/amazon-bedrock-samples/issues/588
  ...rulesFrom('amazon-bedrock', {
    kind: 'elsewhere',
    status: [400, 413, 422],
    message: BEYOND_LIMIT,
    isGeneral: true,
  }),
  // The gateway sends at most the maximum in the catalog, but the endpoint may have lowered its maximum.
  // Errors of DeepInfra, from https://github.com/cline/cline/issues/13229
  ...rulesFrom('deepinfra', {
    kind: 'elsewhere',
    status: [400, 422],
    message: BEYOND_OUTPUT_LIMIT,
    isGeneral: true,
  }),
  // If a server cannot read the client's media, it may respond with status 500, or with the status that it got
  // from the server of the media.
  // Errors of vLLM, from https://github.com/vllm-project/vllm/issues/47163
  ...rulesFrom('vllm', { kind: 'request', message: UNREADABLE_MEDIA, isGeneral: true }),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/images-vision
  ...rulesFrom('openai', {
    kind: 'request',
    code: ['invalid_image_url', 'invalid_image_format', 'invalid_base64_image', 'image_parse_error'],
  }),
  // Codes of failed responses, whose error has no type and no status. Errors of OpenAI, from
  // https://github.com/openai/openai-python/blob/main/src/openai/types/responses/response_error.py
  ...rulesFrom('openai', {
    kind: 'request',
    code: [
      'bio_policy',
      'empty_image_file',
      'failed_to_download_image',
      'image_content_policy_violation',
      'image_file_not_found',
      'image_file_too_large',
      'image_too_large',
      'image_too_small',
      'invalid_image_mode',
      'unsupported_image_media_type',
    ],
  }),
  // These errors concern a client's id of a file or of another stored object. Errors of OpenAI, from
  // https://platform.openai.com/docs/api-reference/files
  ...rulesFrom(
    'openai',
    { kind: 'request', code: ['file_not_found', 'previous_response_not_found'] },
    {
      kind: 'request',
      status: [400, 403, 404, 410],
      message:
        /^No such File object|^(?:the )?(?:file|previous response|item|conversation|container|vector store|prompt|cached ?content)\b[^\n]{0,120}\b(?:not found|could not be found|does not exist|no longer exists)/i,
      isGeneral: true,
    },
  ),
  // Errors of Google, from https://ai.google.dev/gemini-api/docs/files
  ...rulesFrom('google', {
    kind: 'request',
    message: /^(?:The File \S{1,200} is not in an ACTIVE state|You do not have permission to access the File)/i,
  }),
  // OpenRouter relays these reasons of Google with status 403. Errors of Google, from
  // https://github.com/hackerai-tech/hackerai/pull/632
  ...rulesFrom('google', {
    kind: 'request',
    message: /^(?:IMAGE_)?(?:PROHIBITED_CONTENT|SAFETY|RECITATION|BLOCKLIST|SPII)\b/,
  }),
  // Errors of Anthropic, from https://platform.claude.com/docs/en/build-with-claude/files
  ...rulesFrom('anthropic', {
    kind: 'request',
    message: /^File not found: /i,
  }),
  // xAI and OpenRouter use status 403 for content that a model or its filter refuses. Errors of xAI, from
  // https://docs.x.ai/docs/key-information/debugging
  ...rulesFrom('xai', {
    kind: 'request',
    message: /^Content violates usage guidelines/i,
  }),
  // Errors of OpenRouter, from https://openrouter.ai/docs/api-reference/errors
  ...rulesFrom('openrouter', {
    kind: 'request',
    message: /^(?:[\w./:-]{1,160} requires moderation|Your chosen model requires moderation|Your input was flagged)/i,
  }),
  // OpenRouter's own filter matches texts such as `[System: …]`. Errors of OpenRouter, from
  // https://github.com/NousResearch/hermes-agent/issues/90177
  ...rulesFrom('openrouter', { kind: 'elsewhere', message: /^Request blocked: prompt injection\b/i }),
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/safety-checks
  ...rulesFrom('openai', {
    kind: 'request',
    code: [
      'content_policy_violation',
      'content_filter',
      'responsibleaipolicyviolation',
      'moderation_blocked',
      'cyber_policy_violation',
    ],
  }),
  // Errors of OpenAI, from https://github.com/router-for-me/CLIProxyAPI/issues/4854
  ...rulesFrom(
    'openai',
    { kind: 'request', code: ['cyber_policy'] },
    {
      kind: 'request',
      message: /^(?:This content|Your request|This request) was flagged for (?:possible|potential)\b/i,
    },
  ),
  // OpenAI limits or blocks an end user, whose id the gateway sends. Another provider of the model may answer.
  // Errors of OpenAI, from https://platform.openai.com/docs/guides/safety-checks/cybersecurity
  ...rulesFrom(
    'openai',
    { kind: 'elsewhere', code: ['identifier_blocked'] },
    { kind: 'elsewhere', message: /^(?:Identifier blocked\b|This user's access to \S{1,80} has been)/i },
  ),
  // Clients choose the voice. Providers report an unknown voice with status 404. Errors of ElevenLabs, from
  // https://elevenlabs.io/docs/developers/resources/error-messages
  ...rulesFrom(
    'elevenlabs',
    { kind: 'request', code: ['voice_not_found', 'content_against_policy'] },
    // ElevenLabs reports a text that is too long also with status 401. Source:
    // https://help.elevenlabs.io/hc/en-us/articles/19572237925521
    { kind: 'request', code: ['max_character_limit_exceeded'] },
    {
      kind: 'request',
      status: [400, 403, 404, 422],
      message:
        /^(?:(?:an?|the|requested|selected|specified|custom) )*voice\b[^\n]{0,120}\b(?:not found|not exist|is (?:unknown|invalid|not (?:valid|available|supported)))|^(?:unknown|invalid|unsupported) voice\b/i,
      isGeneral: true,
    },
  ),
  // Errors of Alibaba, from https://help.aliyun.com/en/model-studio/error-code
  ...rulesFrom('alibaba', {
    kind: 'request',
    code: ['datainspectionfailed', 'data_inspection_failed'],
  }),
  // Errors of Z.ai, from https://docs.z.ai/api-reference/api-code
  ...rulesFrom('zai', {
    kind: 'request',
    code: ['1300', '1301'],
  }),
  // Errors of MiniMax, from https://platform.minimax.io/docs/api-reference/errorcode
  ...rulesFrom('minimax', {
    kind: 'request',
    code: ['1026', '1027'],
  }),
  // Errors of DeepSeek, from https://github.com/deepseek-ai/DeepSeek-V3/issues
  ...rulesFrom('deepseek', {
    kind: 'request',
    message: /^Content Exists Risk/i,
  }),
  // Amazon Bedrock rejects these betas, fields and lines, although another service with the same Claude model accepts
  // them. Errors of Amazon Bedrock, from
  // https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html
  ...rulesFrom('amazon-bedrock', {
    kind: 'elsewhere',
    status: [400, 422],
    message:
      /invalid beta flag|reserved keyword|extra inputs are not permitted|extraneous key \[|^This model doesn.t support (?:tool use|system messages|documents|images|the [\w.]{1,40} (?:field|content block))|unexpected value\(s\).{0,200}anthropic-beta/is,
  }),
  // The Gemini API and Google Cloud do not accept the same fields for the same model. Errors of Google, from
  // https://github.com/googleapis/python-genai/issues/1921
  ...rulesFrom('google', {
    kind: 'elsewhere',
    status: [400],
    message:
      /^(?:Invalid JSON payload received\. )?Unknown name "|^[\w ]{1,40} is not enabled for (?:this model|models\/)/i,
  }),
  // A self-hosted server may lack features that another endpoint of the same model has. Errors of Ollama, from
  // https://github.com/ollama/ollama/blob/main/docs/api.md
  ...rulesFrom('ollama', {
    kind: 'elsewhere',
    message:
      /^(?:registry\.ollama\.ai\/)?["']?[\w./:-]{1,160}["']? does not support (?:tools|thinking|images|vision|embeddings|chat)/i,
  }),
  // Errors of vLLM, from https://docs.vllm.ai/en/latest/features/tool_calling.html
  ...rulesFrom('vllm', {
    kind: 'elsewhere',
    message: /^"?auto"? tool choice requires --enable-auto-tool-choice/i,
  }),
  // Errors of OpenRouter, from https://github.com/block/buzz/issues/3018
  ...rulesFrom('openrouter', {
    kind: 'elsewhere',
    message: /^No endpoints found that (?:support|can handle)/i,
  }),
  // Errors of llama.cpp, from https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
  ...rulesFrom('llama-cpp', {
    kind: 'elsewhere',
    code: ['not_supported_error'],
  }),
];
