/** Errors of the client's request that status or type alone would blame on somebody else, and sealed reasoning. */

import { rulesFrom } from './fault-rule.ts';

export const reasoningRules = [
  ...rulesFrom(
    'openai',
    'https://github.com/openai/codex/issues/8145',
    { kind: 'reasoning', code: ['invalid_encrypted_content', 'thinking_signature_invalid'] },
    { kind: 'reasoning', message: /^The encrypted content\b[\s\S]{0,400}could not be (?:verified|decrypted|parsed)/i },
    { kind: 'reasoning', message: /^Encrypted content (?:is invalid|could not be)/i },
  ),
  ...rulesFrom('openai', 'https://platform.openai.com/docs/guides/reasoning', {
    kind: 'reasoning',
    message:
      /^Item (?:with id )?[`'"]?rs_\w{1,200}[`'"]?[\s\S]{0,60}(?:not found|was provided without|of type 'reasoning')/i,
  }),
  ...rulesFrom(
    'anthropic',
    'https://platform.claude.com/docs/en/build-with-claude/extended-thinking',
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
  ...rulesFrom('google', 'https://ai.google.dev/gemini-api/docs/thought-signatures', {
    kind: 'reasoning',
    message:
      /^(?:Unable to submit request because )?(?:Invalid|Corrupted|The)? ?thought[ _]?signature\b[^\n]{0,80}|^Thought signature is not valid|^Corrupted thought signature/i,
  }),
];

export const requestRules = [
  ...rulesFrom('google', 'https://ai.google.dev/gemini-api/docs/files', {
    kind: 'request',
    message: /^(?:The File \S{1,200} is not in an ACTIVE state|You do not have permission to access the File)/i,
  }),
  ...rulesFrom('anthropic', 'https://platform.claude.com/docs/en/build-with-claude/files', {
    kind: 'request',
    message: /^File not found: /i,
  }),
  // Content that a model or its filter refuses. xAI and OpenRouter refuse it with the status 403.
  ...rulesFrom('xai', 'https://docs.x.ai/docs/key-information/debugging', {
    kind: 'request',
    message: /^Content violates usage guidelines/i,
  }),
  ...rulesFrom('openrouter', 'https://openrouter.ai/docs/api-reference/errors', {
    kind: 'request',
    message: /^(?:[\w./:-]{1,160} requires moderation|Your chosen model requires moderation|Your input was flagged)/i,
  }),
  ...rulesFrom('openai', 'https://platform.openai.com/docs/guides/safety-checks', {
    kind: 'request',
    code: [
      'content_policy_violation',
      'content_filter',
      'responsibleaipolicyviolation',
      'moderation_blocked',
      'cyber_policy_violation',
    ],
  }),
  ...rulesFrom('alibaba', 'https://help.aliyun.com/en/model-studio/error-code', {
    kind: 'request',
    code: ['datainspectionfailed', 'data_inspection_failed'],
  }),
  ...rulesFrom('zai', 'https://docs.z.ai/api-reference/api-code', {
    kind: 'request',
    code: ['1210', '1213', '1214', '1215', '1300', '1301'],
  }),
  ...rulesFrom('minimax', 'https://platform.minimax.io/docs/api-reference/errorcode', {
    kind: 'request',
    code: ['1026', '1042', '2013'],
  }),
  ...rulesFrom('deepseek', 'https://github.com/deepseek-ai/DeepSeek-V3/issues', {
    kind: 'request',
    message: /^Content Exists Risk/i,
  }),
  // Homes of Claude say this of betas, fields and lines that another home of the same model takes.
  ...rulesFrom(
    'amazon-bedrock',
    'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html',
    {
      kind: 'elsewhere',
      status: [400, 422],
      message:
        /invalid beta flag|reserved keyword|extra inputs are not permitted|unexpected value\(s\).{0,200}anthropic-beta/is,
    },
  ),
  // A server of one's own lacks what another home of the model has.
  ...rulesFrom('ollama', 'https://github.com/ollama/ollama/blob/main/docs/api.md', {
    kind: 'elsewhere',
    message:
      /^(?:registry\.ollama\.ai\/)?["']?[\w./:-]{1,160}["']? does not support (?:tools|thinking|images|vision|embeddings|chat)/i,
  }),
  ...rulesFrom('vllm', 'https://docs.vllm.ai/en/latest/features/tool_calling.html', {
    kind: 'elsewhere',
    message: /^"?auto"? tool choice requires --enable-auto-tool-choice/i,
  }),
  ...rulesFrom('openrouter', 'https://openrouter.ai/docs/api-reference/errors', {
    kind: 'elsewhere',
    message: /^No endpoints found that support/i,
  }),
  ...rulesFrom('llama-cpp', 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md', {
    kind: 'elsewhere',
    code: ['not_supported_error'],
  }),
];
