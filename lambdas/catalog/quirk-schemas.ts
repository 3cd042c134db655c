/**
 * Schemas of the quirks of each wire. A quirk, which the catalog's files state, is a difference between an endpoint and
 * the wire's standard form.
 */

import * as z from 'zod';
import { claudeQuirks, toolChoices } from './claude-quirks.ts';
import { common } from './common-quirks.ts';
import { imageSizes, lackableParts, reasoningEfforts, rewritableParts, thinkingLevels } from './quirk-values.ts';
import { geminiSpeechQuirks, openaiSpeechQuirks, speechQuirks } from './speech-quirks.ts';

/** Schema of quirks in a file, before their wire is known. */
export const anyQuirks = z.looseObject(common);
const commonQuirks = z.object(common);
export type Quirks = z.infer<typeof commonQuirks>;

/** Accepted media types of base64 images. Absent: all types of the Messages API. */
const imageTypes = z
  .array(z.enum(['image/png', 'image/jpeg', 'image/webp', 'image/gif']))
  .min(1)
  .optional();

const anthropicQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /**
   * Whether the provider serves models other than Claude, and accepts only their own thinking. The gateway then adds
   * the provider's id to signatures, and applies none of the rules that only Claude has.
   */
  own_signatures: z.boolean().optional(),
  /**
   * Whether the model rejects, while it thinks, a conversation in which an earlier tool call has no thinking before it.
   * This includes calls that another model made.
   */
  thinking_before_calls: z.boolean().optional(),
  /** Format in which a service such as Bedrock or Vertex AI wraps requests to Claude. Absent: `none`. */
  envelope: z.enum(['none', 'bedrock-invoke', 'vertex-predict']).optional(),
  /** Whether this is Anthropic's own service. No other service reads the billing line of Claude Code. */
  own_service: z.boolean().optional(),
  /** Whether every subschema of an argument schema must have a type, unless it has `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Whether the provider rejects schemas with circular references. */
  acyclic_schemas: z.boolean().optional(),
  /**
   * Parts of a request that the endpoint does not support. A request with one of the lackableParts is refused;
   * rewritableParts are replaced or dropped.
   */
  lacks: z.array(z.enum([...lackableParts, ...rewritableParts])).optional(),
  /** Accepted names in the header `anthropic-beta`; other names are dropped. Absent: all are accepted. */
  betas: z.array(z.string()).optional(),
  /** Whether the provider supports POST /v1/messages/count_tokens. */
  count_tokens: z.boolean().optional(),
  /**
   * Whether the model thinks by default, if a request has no `thinking`. This depends on the model, so it is a quirk of
   * endpoints, not of providers.
   */
  thinks_by_default: z.boolean().optional(),
});
export type AnthropicQuirks = z.infer<typeof anthropicQuirks>;
/** Quirks that depend on the Claude model, not on the service. */
export type ClaudeQuirks = Pick<AnthropicQuirks, keyof typeof claudeQuirks | 'thinks_by_default' | 'own_signatures'>;

const openaiChatQuirks = z.strictObject({
  ...common,
  /** Name of the field that limits the output. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** Role of the message with the system prompt. */
  system_role: z.enum(['system', 'developer']).optional(),
  /**
   * Whether system messages in the middle of a conversation are accepted, and stay at their place. The prompt templates
   * of many models reject them. DeepSeek moves them to the beginning, so that its prompt cache misses the whole
   * conversation (https://github.com/routatic/proxy/pull/76, https://github.com/farion1231/cc-switch/issues/7417).
   * Without this quirk, the gateway converts them to user messages with <system> tags.
   */
  later_system_messages: z.boolean().optional(),
  /** Name of the field that requests thinking; "none" if the model decides by itself whether to think. */
  reasoning_request: z
    .enum(['none', 'reasoning_effort', 'reasoning_enabled', 'reasoning_object', 'enable_thinking', 'thinking_type'])
    .optional(),
  /**
   * Accepted values of reasoning_effort. They depend on the model, so they are a quirk of endpoints, not of providers.
   */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /**
   * Whether the model rejects a forced tool call while it thinks. The gateway then turns thinking off for a forced
   * call.
   */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Whether the model accepts either tools or a schema for the answer, but not both. */
  format_excludes_tools: z.boolean().optional(),
  /** Whether the provider accepts `strict` only on all tools of a request, or on none. */
  strict_on_all_tools: z.boolean().optional(),
  /**
   * Whether the model rejects a schema for the answer while it thinks. The gateway then turns thinking off if there is
   * a schema.
   */
  format_needs_no_thinking: z.boolean().optional(),
  /** Value of the field `reasoning_format` with which the provider returns thinking separately from the answer. */
  reasoning_format: z.enum(['parsed']).optional(),
  /** Field for the reasoning of earlier answers in assistant messages; "none" if the gateway drops the reasoning. */
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
  /** Whether every subschema of an argument schema must have a type, unless it has `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Whether the provider rejects schemas with circular references. */
  acyclic_schemas: z.boolean().optional(),
  /** Whether the provider accepts images in tool results. */
  tool_result_parts: z.boolean().optional(),
  /** Whether the provider fetches images from their URLs. Default: true. */
  image_urls: z.boolean().optional(),
  image_types: imageTypes,
  /** Maximum number of stop sequences in a request. */
  max_stop_sequences: z.int().positive().optional(),
  /** Name of the field for the seed. */
  seed_field: z.enum(['seed', 'random_seed']).optional(),
  /** Maximum value of top_logprobs. */
  max_top_logprobs: z.int().positive().optional(),
  /**
   * Whether the model returns no token probabilities while it thinks. The gateway then turns thinking off if they are
   * requested.
   */
  logprobs_need_no_thinking: z.boolean().optional(),
  /** Whether the provider accepts `user`. Its value is a digest of metadata.user_id. */
  user_field: z.boolean().optional(),
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
  /** Whether the provider accepts PDF documents. */
  pdf_files: z.boolean().optional(),
  /** Whether the provider accepts audio as `input_audio`. */
  audio_files: z.boolean().optional(),
});
export type OpenaiChatQuirks = z.infer<typeof openaiChatQuirks>;

const googleGeminiQuirks = z.strictObject({
  ...common,
  /**
   * Bounds of thinkingBudget in tokens, for models that accept this field (Gemini 2.5). If `least` is 0, thinking can
   * be turned off.
   */
  thinking_budget: z.strictObject({ least: z.int().nonnegative(), most: z.int().positive() }).optional(),
  /**
   * Accepted values of thinkingLevel in ascending order, for models that accept this field (Gemini 3). No level turns
   * thinking off.
   */
  thinking_levels: z.array(z.enum(thinkingLevels)).min(1).optional(),
  /**
   * Whether the model thinks by default, if a request has no `thinking`. This depends on the model, so it is a quirk of
   * endpoints, not of providers.
   */
  thinks_by_default: z.boolean().optional(),
  /**
   * Whether the model rejects a request whose earlier tool calls lack thought signatures (Gemini 3). A call without a
   * signature then gets the placeholder that Google documents.
   */
  thought_signature_placeholder: z.boolean().optional(),
  /** Whether the model accepts either tools or a schema for the answer, but not both (Gemini 2.5). */
  format_excludes_tools: z.boolean().optional(),
  /**
   * Whether the model continues an answer that the client began (Gemini up to 3.1, and 3.5 Flash). Default: true. If
   * not, the gateway refuses a request that ends with an assistant message.
   */
  continues_answers: z.boolean().optional(),
  /** Whether the model accepts images and PDFs in tool results (Gemini 3). */
  media_in_results: z.boolean().optional(),
  /** Whether the service accepts ids of calls and results. Vertex AI rejects them. */
  call_ids: z.boolean().optional(),
  /** Sizes of the images that the model generates. Absent: a request cannot choose the size. */
  image_sizes: z.array(z.enum(imageSizes)).min(1).optional(),
  /**
   * Body that the service's :countTokens accepts: a complete request (Gemini API), or contents and tools (Vertex AI).
   * Absent: the gateway does not use :countTokens.
   */
  count_tokens: z.enum(['request', 'contents']).optional(),
});
export type GoogleGeminiQuirks = z.infer<typeof googleGeminiQuirks>;

const openaiResponsesQuirks = z.strictObject({
  ...common,
  /** Role of system messages in the middle of a conversation. */
  system_role: z.enum(['developer', 'system']).optional(),
  /** Efforts that a reasoning model accepts, in ascending order; empty if it accepts none. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Whether the gateway may request summaries of the model's reasoning ("auto") or not ("none"). */
  reasoning_summary: z.enum(['auto', 'none']).optional(),
  /** Whether earlier assistant messages need a phase: commentary (before a tool call) or final answer. */
  message_phase: z.boolean().optional(),
  /** Whether the provider accepts `safety_identifier`. Its value is a digest of metadata.user_id. */
  safety_identifier: z.boolean().optional(),
  /**
   * Whether the provider accepts `prompt_cache_key`. Its value is a digest of metadata.user_id, because one user's
   * prompts often begin with the same text.
   */
  prompt_cache_key: z.boolean().optional(),
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
   * Whether the model returns no token probabilities while it thinks. The gateway then turns thinking off if they are
   * requested.
   */
  logprobs_need_no_thinking: z.boolean().optional(),
  /** Whether the provider rejects schemas with circular references. */
  acyclic_schemas: z.boolean().optional(),
  image_types: imageTypes,
  /** Whether the provider accepts PDF documents. */
  pdf_files: z.boolean().optional(),
});
export type OpenaiResponsesQuirks = z.infer<typeof openaiResponsesQuirks>;

const bedrockConverseQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /** Family of the model. Converse has one format, but each family accepts different fields. */
  family: z.enum(['other', 'claude', 'nova']).optional(),
  /** Whether the model can stream answers to requests with tools (default: true). If not, the hold covers max_tokens. */
  streams_tools: z.boolean().optional(),
  /** Whether the model rejects messages that have tool calls or results next to other content. */
  separate_tool_turns: z.boolean().optional(),
  /** Whether the root of a tool's schema may have no keywords except `type`, `properties` and `required`. */
  plain_schema_root: z.boolean().optional(),
  /** Whether the model accepts documents, including PDF. */
  pdf_files: z.boolean().optional(),
  /** Whether the model thinks by default, if a request has no `thinking`. */
  thinks_by_default: z.boolean().optional(),
});
export type BedrockConverseQuirks = z.infer<typeof bedrockConverseQuirks>;

/** Quirks of wires that make decisions (choices among given options) with chat completions. */
const decisionsChatQuirks = z.strictObject({
  ...common,
  /** Name of the field that limits the output. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
});
export type DecisionsChatQuirks = z.infer<typeof decisionsChatQuirks>;

const decisionsLogprobsQuirks = decisionsChatQuirks.extend({
  /** Divisor for the logarithms of probabilities. A value above 1 corrects an overconfident model. Default: 1. */
  temperature: z.number().min(0.1).max(10).optional(),
});
export type DecisionsLogprobsQuirks = z.infer<typeof decisionsLogprobsQuirks>;

const videoQuirks = z.strictObject({
  /** Whether the model makes videos only from an image. The gateway then refuses a request without a first frame. */
  needs_first_frame: z.boolean().optional(),
});

const embeddingsQuirks = z.strictObject({
  ...common,
  /** Maximum number of texts per request, if it differs from the maximum of the wire's own service. */
  max_inputs: z.int().positive().optional(),
  /** Maximum bytes of text per request to the provider, and so of tokens, because a token has at least one byte. */
  max_request_bytes: z.int().positive().optional(),
  /** Length of vectors if a request does not set it. It bounds how many texts one request to the provider may have. */
  vector_dimensions: z.int().positive().optional(),
  /** Whether the model embeds images, alone or with texts. `max_image_tokens` bounds the tokens of each. */
  takes_images: z.boolean().optional(),
});
const openaiEmbeddingsQuirks = embeddingsQuirks.extend({
  /** Name of the field for the length of the vectors. */
  dimensions_field: z.enum(['dimensions', 'output_dimension']).optional(),
  /** Whether the model accepts lists of tokens instead of texts. */
  takes_tokens: z.boolean().optional(),
  /** Whether the provider can return vectors in base64, which takes about a quarter of the size of JSON numbers. */
  base64: z.boolean().optional(),
  /** Variant of the API for `input_type` and for texts that are too long. Absent: OpenAI's own, without `input_type`. */
  embeddings_form: z.enum(['voyage', 'nim']).optional(),
});
export type EmbeddingsQuirks = z.infer<typeof openaiEmbeddingsQuirks>;

const rerankQuirks = z.strictObject({
  ...common,
  /** Maximum number of documents per request. Default: 1,000. */
  max_documents: z.int().positive().optional(),
});
const serverRerankQuirks = rerankQuirks.extend({
  /** Names of the fields in requests and responses: Jina's (also vLLM and llama.cpp), Voyage's, or TEI's. */
  rerank_form: z.enum(['jina', 'voyage', 'tei']).optional(),
});
export type RerankQuirks = z.infer<typeof serverRerankQuirks>;

const transcriptionQuirks = z.strictObject({
  ...common,
  /** Maximum length of a recording in seconds. */
  max_seconds: z.int().positive().optional(),
  /** Maximum size of a recording in bytes. */
  max_file_bytes: z.int().positive().optional(),
  /** Minimum number of seconds that are billed for a recording. Default: 1. */
  min_billed_seconds: z.int().positive().optional(),
  /** Step to whose multiples the billed length is rounded up, in seconds. Default: 1. */
  billed_step_seconds: z.int().positive().optional(),
  /** Maximum characters of a keyword. Default: the gateway's own maximum. */
  max_keyword_characters: z.int().positive().optional(),
  /** Percentage by which keywords raise the billed seconds, even those that the provider reports. Default: 0. */
  keyword_surcharge_percent: z.int().positive().optional(),
  /** Maximum tokens for one second of a recording. Default: 50. */
  audio_tokens_per_second: z.number().positive().optional(),
});
const openaiTranscriptionQuirks = transcriptionQuirks.extend({
  /** Whether the endpoint can send a transcript as events, if a request streams. */
  transcript_events: z.boolean().optional(),
  /** Names of the request fields: OpenAI's, which is the default, or Mistral's. */
  transcription_form: z.enum(['openai', 'mistral']).optional(),
});
export type TranscriptionQuirks = z.infer<typeof openaiTranscriptionQuirks>;
const openaiImagesQuirks = z.strictObject({
  ...common,
  /**
   * Value of `response_format` to request images in base64. Absent: the field is not sent, because OpenAI rejects it.
   */
  response_format: z.enum(['b64_json', 'base64']).optional(),
  /** Fields for the image size: `size`; `aspect_ratio` and `resolution`; or `width` and `height`. Default: `size`. */
  size_form: z.enum(['size', 'aspect_ratio', 'width_height']).optional(),
});
export type ImagesQuirks = z.infer<typeof openaiImagesQuirks>;

const none = z.strictObject({});

/** Schemas of the quirks that endpoints of each wire may have. */
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
  'google-embeddings': embeddingsQuirks,
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
