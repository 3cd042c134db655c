/** A quirk is a difference between an endpoint and its wire's standard form. */

import * as z from 'zod';
import { claudeQuirks, toolChoices } from './claude-quirks.ts';
import { common } from './common-quirks.ts';
import { imageSizes, lackableParts, reasoningEfforts, rewritableParts, thinkingLevels } from './quirk-values.ts';
import { decisionsChatQuirks, decisionsLogprobsQuirks } from './decisions-quirks.ts';
import { embeddingsQuirks, googleEmbeddingsQuirks, openaiEmbeddingsQuirks } from './embeddings-quirks.ts';
import { openaiImagesQuirks } from './images-quirks.ts';
import { openaiTranscriptionQuirks, transcriptionQuirks } from './transcription-quirks.ts';
import { rerankQuirks, serverRerankQuirks } from './rerank-quirks.ts';
import { geminiSpeechQuirks, openaiSpeechQuirks, speechQuirks } from './speech-quirks.ts';

/** Schema for quirks in a file while their wire is unknown. It checks only the common quirks. */
export const anyQuirks = z.looseObject(common);
const commonQuirks = z.object(common);
export type Quirks = z.infer<typeof commonQuirks>;

/** Accepted media types of base64 images. Absent: the same types. */
const imageTypes = z
  .array(z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']))
  .min(1)
  .optional();

const anthropicQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /**
   * Whether the provider serves models other than Claude, and accepts only their own thinking. Signatures then have the
   * provider's id, and rules for Claude do not apply.
   */
  own_signatures: z.boolean().optional(),
  /**
   * Whether the model, while it thinks, rejects earlier answers without thinking (also of other models) in a request
   * with tools.
   */
  thinking_before_calls: z.boolean().optional(),
  /** Format in which Bedrock or Vertex AI wraps requests to Claude. Absent: `none`. */
  envelope: z.enum(['none', 'bedrock-invoke', 'vertex-predict']).optional(),
  /**
   * Whether this is Anthropic's own service, which reads the billing line that Claude Code adds to the system prompt.
   */
  own_service: z.boolean().optional(),
  /** Whether every subschema of an argument schema must have one type, unless it has `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Whether the provider rejects schemas with circular references. */
  acyclic_schemas: z.boolean().optional(),
  /**
   * Unsupported parts of a request. Requests with lackableParts are refused; rewritableParts are replaced or dropped.
   */
  lacks: z.array(z.enum([...lackableParts, ...rewritableParts])).optional(),
  /** Accepted names in the header `anthropic-beta`; others are dropped. Absent: all. */
  betas: z.array(z.string()).optional(),
  /** Whether the provider supports POST /v1/messages/count_tokens. */
  count_tokens: z.boolean().optional(),
  /** Whether the model thinks if a request has no `thinking`. A quirk of endpoints, because it depends on the model. */
  thinks_by_default: z.boolean().optional(),
});
export type AnthropicQuirks = z.infer<typeof anthropicQuirks>;
/** Quirks that depend on the Claude model, not on the service. */
export type ClaudeQuirks = Pick<AnthropicQuirks, keyof typeof claudeQuirks | 'thinks_by_default' | 'own_signatures'>;

const openaiChatQuirks = z.strictObject({
  ...common,
  /** Field that limits the output. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** Role of the message with the system prompt. */
  system_role: z.enum(['system', 'developer']).optional(),
  /**
   * Whether system messages in the middle of a conversation are accepted, and stay at their place. The prompt templates
   * of many models reject them. DeepSeek moves them to the beginning, so that its prompt cache misses the conversation
   * (https://github.com/routatic/proxy/pull/76, https://github.com/farion1231/cc-switch/issues/7417). Without this
   * quirk, they become user messages with <system> tags.
   */
  later_system_messages: z.boolean().optional(),
  /** Field that requests thinking; "none" if the model decides by itself whether to think. */
  reasoning_request: z
    .enum(['none', 'reasoning_effort', 'reasoning_enabled', 'reasoning_object', 'enable_thinking', 'thinking_type'])
    .optional(),
  /** Accepted values of reasoning_effort. A quirk of endpoints, because they depend on the model. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** Whether the model rejects a forced tool call while it thinks. Thinking is then turned off. */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Whether the model accepts either tools or a schema for the answer, but not both. */
  format_excludes_tools: z.boolean().optional(),
  /**
   * Whether all tools of a request must have the same `strict`. Strict schemas must then have no lists of types, lengths,
   * patterns or formats.
   */
  limited_strict_mode: z.boolean().optional(),
  /**
   * Whether the provider accepts `response_format` of type json_object in streams and next to thinking, for models that
   * list `response_format`.
   */
  json_mode: z.boolean().optional(),
  /** Whether the model rejects a schema for the answer while it thinks. Thinking is then turned off. */
  format_needs_no_thinking: z.boolean().optional(),
  /** Value of `reasoning_format` with which the provider returns thinking separately. */
  reasoning_format: z.enum(['parsed']).optional(),
  /** Field for the reasoning of earlier answers; "none" if it is dropped. */
  reasoning_history: z.enum(['none', 'reasoning_content']).optional(),
  /** Format that the provider requires for ids of tool calls. */
  tool_call_ids: z.enum(['any', 'nine_alphanumerics', 'name_and_position']).optional(),
  /** Whether the name of a tool must begin with a letter. */
  tool_names_begin_with_letter: z.boolean().optional(),
  /** Accepted values of tool_choice, as the Messages API names them. Absent: all. */
  tool_choices: z.array(z.enum(toolChoices)).optional(),
  /**
   * Whether the provider accepts parallel_tool_calls. If not, an answer may have several calls, although the client
   * allows only one.
   */
  parallel_tool_calls: z.boolean().optional(),
  /** Whether every subschema of an argument schema must have one type, unless it has `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Whether the provider rejects schemas with circular references. */
  acyclic_schemas: z.boolean().optional(),
  /** Whether the provider accepts images in tool results. */
  tool_result_parts: z.boolean().optional(),
  /** Whether the provider fetches images from their URLs. Default: true. */
  image_urls: z.boolean().optional(),
  image_types: imageTypes,
  max_stop_sequences: z.int().positive().optional(),
  seed_field: z.enum(['seed', 'random_seed']).optional(),
  /**
   * Whether the provider rejects a temperature of 0 with a `top_p` other than 1. At the temperature 0, `top_p` has no
   * effect (https://github.com/devoxx/DevoxxGenieIDEAPlugin/issues/338).
   */
  greedy_needs_top_p_of_1: z.boolean().optional(),
  max_top_logprobs: z.int().positive().optional(),
  /**
   * Whether the model returns no token probabilities while it thinks. Thinking is then turned off if they are
   * requested.
   */
  logprobs_need_no_thinking: z.boolean().optional(),
  /** Whether the provider accepts `detail` of images (https://developers.openai.com/api/docs/guides/images-vision). */
  image_detail: z.boolean().optional(),
  /** Whether the provider accepts the field `user`. The gateway then sends a digest of metadata.user_id in it. */
  user_field: z.boolean().optional(),
  /**
   * Whether `prompt_cache_key` enables the provider's prompt cache
   * (https://docs.mistral.ai/studio-api/conversations/advanced/prompt-caching). Its value is a digest of the session
   * that the client names, else of metadata.user_id, else of the conversation's beginning. With `session`, it is sent
   * only if the client names a session, because the key only directs equal prompts to one cache
   * (https://developers.openai.com/api/docs/guides/prompt-caching).
   */
  prompt_cache_key: z.union([z.boolean(), z.literal('session')]).optional(),
  /**
   * Form in which the provider accepts the beginning of an answer that it must continue. "prefix": the last assistant
   * message is marked as a prefix.
   */
  begun_answers: z.enum(['prefix']).optional(),
  /** Whether the provider rejects a user message directly after a tool result. */
  assistant_after_tool: z.boolean().optional(),
  /**
   * Whether the provider has functions instead of tools: one call per message, with arguments and result as objects.
   */
  functions: z.boolean().optional(),
  /** Whether the gateway sends stream_options.include_usage. Default: true. */
  stream_usage: z.boolean().optional(),
  pdf_files: z.boolean().optional(),
  /** Whether the provider accepts audio as `input_audio`. */
  audio_files: z.boolean().optional(),
});
export type OpenaiChatQuirks = z.infer<typeof openaiChatQuirks>;

const googleGeminiQuirks = z.strictObject({
  ...common,
  /** Bounds of thinkingBudget in tokens (Gemini 2.5). If `least` is 0, thinking can be turned off. */
  thinking_budget: z.strictObject({ least: z.int().nonnegative(), most: z.int().positive() }).optional(),
  /** Accepted values of thinkingLevel in ascending order (Gemini 3). No level turns thinking off. */
  thinking_levels: z.array(z.enum(thinkingLevels)).min(1).optional(),
  /** Whether the model thinks if a request has no `thinking`. A quirk of endpoints, because it depends on the model. */
  thinks_by_default: z.boolean().optional(),
  /**
   * Whether the model rejects a request whose earlier tool calls lack thought signatures (Gemini 3). Such a call gets
   * the placeholder that Google documents.
   */
  thought_signature_placeholder: z.boolean().optional(),
  /** Whether the model accepts either tools or a schema for the answer, but not both (Gemini 2.5). */
  format_excludes_tools: z.boolean().optional(),
  /**
   * Whether the model continues an answer that the client began (Gemini up to 3.1, and 3.5 Flash). Default: true. If
   * not, a request that ends with an assistant message is refused.
   */
  continues_answers: z.boolean().optional(),
  /** Whether the model accepts images and PDFs in tool results (Gemini 3). */
  media_in_results: z.boolean().optional(),
  /** Whether the service accepts ids of calls and results. Vertex AI rejects them. */
  call_ids: z.boolean().optional(),
  /** Sizes of generated images. Absent: a request cannot choose the size. */
  image_sizes: z.array(z.enum(imageSizes)).min(1).optional(),
  /**
   * Body for :countTokens: a complete request (Gemini API), or contents and tools (Vertex AI). Absent: :countTokens is
   * not used.
   */
  count_tokens: z.enum(['request', 'contents']).optional(),
});
export type GoogleGeminiQuirks = z.infer<typeof googleGeminiQuirks>;

const openaiResponsesQuirks = z.strictObject({
  ...common,
  /** Role of system messages in the middle of a conversation. */
  system_role: z.enum(['developer', 'system']).optional(),
  /** Accepted efforts of a reasoning model, in ascending order; may be empty. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Whether the gateway may request summaries of the reasoning ("auto") or not ("none"). */
  reasoning_summary: z.enum(['auto', 'none']).optional(),
  /** Whether earlier assistant messages need a phase: commentary (before a tool call) or final answer. */
  message_phase: z.boolean().optional(),
  /**
   * Whether the provider accepts the field `safety_identifier`. The gateway sends a digest of metadata.user_id in it.
   */
  safety_identifier: z.boolean().optional(),
  /**
   * Whether the provider accepts `prompt_cache_key`. Its value is a digest of the session that the client names, or
   * else of metadata.user_id, because one user's prompts often begin alike.
   */
  prompt_cache_key: z.boolean().optional(),
  /** Whether the model accepts cache breakpoints on parts of the input (OpenAI since GPT-5.6). */
  cache_breakpoints: z.boolean().optional(),
  /** Accepted values of tool_choice, as the Messages API names them. Absent: all. */
  tool_choices: z.array(z.enum(toolChoices)).min(1).optional(),
  /**
   * Whether the model accepts parallel_tool_calls. If not, an answer may have several calls, although the client allows
   * only one.
   */
  parallel_tool_calls: z.boolean().optional(),
  /** Whether the model accepts sampling parameters only without thinking. */
  thinking_fixes_sampling: z.boolean().optional(),
  /**
   * Whether the model returns no token probabilities while it thinks. Thinking is then turned off if they are
   * requested.
   */
  logprobs_need_no_thinking: z.boolean().optional(),
  /** Whether the provider rejects schemas with circular references. */
  acyclic_schemas: z.boolean().optional(),
  /** Whether the provider accepts `text.format` of type json_object. Default: true. */
  json_mode: z.boolean().optional(),
  image_types: imageTypes,
  pdf_files: z.boolean().optional(),
});
export type OpenaiResponsesQuirks = z.infer<typeof openaiResponsesQuirks>;

const bedrockConverseQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /** Family of the model. Converse has one format, but each family accepts different fields. */
  family: z.enum(['other', 'claude', 'nova']).optional(),
  /**
   * Whether the model can stream answers to requests with tools (default: true). If not, the hold covers max_tokens.
   */
  streams_tools: z.boolean().optional(),
  /** Whether the model rejects messages that have tool calls or results next to other content. */
  separate_tool_turns: z.boolean().optional(),
  /** Whether the root of a tool's schema may have no keywords except `type`, `properties` and `required`. */
  plain_schema_root: z.boolean().optional(),
  /** Whether the model accepts documents, including PDF. */
  pdf_files: z.boolean().optional(),
  /** Whether the model thinks if a request has no `thinking`. */
  thinks_by_default: z.boolean().optional(),
});
export type BedrockConverseQuirks = z.infer<typeof bedrockConverseQuirks>;

const videoQuirks = z.strictObject({
  /** Whether the model makes videos only from an image. A request without a first frame is then refused. */
  needs_first_frame: z.boolean().optional(),
  /** Whether the model requires a prompt also if a request has an image. */
  needs_prompt: z.boolean().optional(),
});

const none = z.strictObject({});

export const quirkSchemas = {
  anthropic: anthropicQuirks,
  'openai-chat': openaiChatQuirks,
  'google-gemini': googleGeminiQuirks,
  'openai-responses': openaiResponsesQuirks,
  'bedrock-converse': bedrockConverseQuirks,
  'decisions-native': z.strictObject(common),
  'decisions-logprobs': decisionsLogprobsQuirks,
  'decisions-stated': decisionsChatQuirks,
  'video-jobs': none,
  'google-veo': none,
  'minimax-video': videoQuirks,
  'runway-tasks': videoQuirks,
  'openai-embeddings': openaiEmbeddingsQuirks,
  'google-embeddings': googleEmbeddingsQuirks,
  'cohere-embeddings': embeddingsQuirks,
  'bedrock-titan-embeddings': embeddingsQuirks,
  'bedrock-cohere-embeddings': embeddingsQuirks,
  'voyage-multimodal': embeddingsQuirks,
  'openai-images': openaiImagesQuirks,
  'gemini-images': none,
  imagen: none,
  'bfl-images': none,
  'bedrock-stability': none,
  'bedrock-nova-canvas': none,
  'yandex-art': none,
  'openai-speech': openaiSpeechQuirks,
  'gemini-speech': geminiSpeechQuirks,
  'elevenlabs-speech': speechQuirks,
  'deepgram-speech': speechQuirks,
  'mistral-speech': speechQuirks,
  'xai-speech': speechQuirks,
  'yandex-speech': speechQuirks,
  'salute-speech': speechQuirks,
  'openai-audio': none,
  rerank: serverRerankQuirks,
  'cohere-rerank': rerankQuirks,
  'bedrock-rerank': rerankQuirks,
  'openai-transcription': openaiTranscriptionQuirks,
  'elevenlabs-transcription': transcriptionQuirks,
  'deepgram-transcription': transcriptionQuirks,
  'xai-transcription': transcriptionQuirks,
  'yandex-transcription': transcriptionQuirks,
  'salute-transcription': transcriptionQuirks,
  'gemini-transcription': transcriptionQuirks,
} as const satisfies Record<string, z.ZodObject>;
export type QuirksOf<Name extends keyof typeof quirkSchemas> = z.infer<(typeof quirkSchemas)[Name]>;
