/**
 * Quirks of each wire: differences between an endpoint and the wire's plain form, as the catalog's files state them.
 */

import * as z from 'zod';
import {
  lackableParts,
  reasoningEfforts,
  rewritableParts,
  thinkingForms,
  thinkingLevels,
  type commonQuirkNames,
} from './quirk-values.ts';
import { penalties, samplingParameters } from './sampling-parameters.ts';

const toolChoices = ['auto', 'any', 'tool', 'none'] as const;
const rangedParameters = [...samplingParameters, ...penalties, 'seed'] as const;

const common = {
  /** Vocabulary of its tokenizer, if the gateway has it. */
  tokenizer: z.enum(['o200k']).optional(),
  /** Maximum tokens for one image; 6,000 if absent. */
  max_image_tokens: z.int().positive().optional(),
  /** Reasoning is billed but not shown, so a hold must cover all of max_tokens from the start. */
  hidden_reasoning: z.boolean().optional(),
  /** max_tokens bounds only the answer, not the thinking before it. */
  reasoning_beyond_max_tokens: z.boolean().optional(),
  /** Minimum of max_tokens. A smaller value is raised to it, and the answer may cost as much. */
  min_output_tokens: z.int().positive().optional(),
  /**
   * Sent as `service_tier` on wires with that field. Without it, OpenAI and Azure use the tier of the operator's
   * project, and a priority tier costs more than the catalog's price.
   */
  service_tier: z.enum(['default']).optional(),
  /**
   * Accepted ranges of sampling parameters. A value outside its range is clamped; a seed is mapped to another seed in
   * the range.
   */
  sampling_ranges: z.partialRecord(z.enum(rangedParameters), z.tuple([z.number(), z.number()])).optional(),
} satisfies Record<(typeof commonQuirkNames)[number], z.ZodType>;
/** Quirks in a file, before their wire is known. */
export const anyQuirks = z.looseObject(common);
const commonQuirks = z.object(common);
export type Quirks = z.infer<typeof commonQuirks>;

/** Thinking, forced tools and sampling of a Claude model. They differ between generations. */
const claudeQuirks = {
  /**
   * Accepted forms of `thinking`. Another form is sent as the nearest accepted form. Absent: `thinking` is passed on
   * unchanged.
   */
  thinking_forms: z.array(z.enum(thinkingForms)).min(1).optional(),
  /** Accepted values of output_config.effort; an empty list accepts none. Absent: any. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Accepted values of output_config.effort without thinking, if they are fewer. */
  efforts_without_thinking: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** Accepted values of tool_choice.type. Absent: all. */
  tool_choices: z.array(z.enum(toolChoices)).min(1).optional(),
  /** Refuses a forced tool while it thinks. The forced tool takes precedence, and thinking is switched off. */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Accepts no sampling parameters while it thinks. */
  thinking_fixes_sampling: z.boolean().optional(),
  /** Accepts either temperature or top_p. If a request has both, temperature is sent. */
  temperature_or_top_p: z.boolean().optional(),
};

const anthropicQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /** Signs thinking itself, and only this provider accepts its signatures. */
  own_signatures: z.boolean().optional(),
  /** While it thinks, it refuses an earlier call without thinking before it, no matter which model made the call. */
  thinking_before_calls: z.boolean().optional(),
  /** Envelope of requests to Claude on other services. */
  envelope: z.enum(['none', 'bedrock-invoke', 'vertex-predict']).optional(),
  /** Anthropic's own service: only this service reads the billing line of Claude Code. */
  own_service: z.boolean().optional(),
  /** In its argument schemas, every part needs a type, and no type may be next to `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Unsupported parts of a request. Parts of the first list are refused by name; parts of the second are rewritten. */
  lacks: z.array(z.enum([...lackableParts, ...rewritableParts])).optional(),
  /** The only accepted betas; others are dropped. Absent: all are accepted. */
  betas: z.array(z.string()).optional(),
  /** Has POST /v1/messages/count_tokens. */
  count_tokens: z.boolean().optional(),
  /**
   * The model thinks, and bills this, if a request has no `thinking`. Depends on the model, so it is set per endpoint.
   */
  thinks_by_default: z.boolean().optional(),
});
export type AnthropicQuirks = z.infer<typeof anthropicQuirks>;
/** Quirks about the Claude model rather than about the service. */
export type ClaudeQuirks = Pick<AnthropicQuirks, keyof typeof claudeQuirks | 'thinks_by_default' | 'own_signatures'>;

const openaiChatQuirks = z.strictObject({
  ...common,
  /** Name of the output limit. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** Role of the system prompt. */
  system_role: z.enum(['system', 'developer']).optional(),
  /** Field that requests thinking; "none" means that the model decides by itself. */
  reasoning_request: z
    .enum(['none', 'reasoning_effort', 'reasoning_enabled', 'reasoning_object', 'enable_thinking', 'thinking_type'])
    .optional(),
  /** Accepted values of reasoning_effort. They differ between models, so they are set per endpoint. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** Refuses a forced tool while it thinks. The forced tool takes precedence, and thinking is switched off. */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Accepts either tools or a schema of the answer. */
  format_excludes_tools: z.boolean().optional(),
  /** Refuses a schema of the answer while it thinks. The schema takes precedence, and thinking is switched off. */
  format_needs_no_thinking: z.boolean().optional(),
  /** Separates thinking from the answer only on request. */
  reasoning_format: z.enum(['parsed']).optional(),
  /** Field for earlier reasoning in messages of the assistant; "none" drops it. */
  reasoning_history: z.enum(['none', 'reasoning_content']).optional(),
  /** Format of tool call ids. */
  tool_call_ids: z.enum(['any', 'nine_alphanumerics', 'name_and_position']).optional(),
  /** Accepted values of tool_choice, as the Messages API names them. Absent: all. */
  tool_choices: z.array(z.enum(toolChoices)).optional(),
  /** Accepts parallel_tool_calls. Without it, an answer may have several calls. */
  parallel_tool_calls: z.boolean().optional(),
  /** In its argument schemas, every part needs a type, and no type may be next to `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Accepts images in results of tools. */
  tool_result_parts: z.boolean().optional(),
  /** Maximum number of stop sequences. */
  max_stop_sequences: z.int().positive().optional(),
  /** Name of the seed. */
  seed_field: z.enum(['seed', 'random_seed']).optional(),
  /** Maximum number of alternatives for each token of an answer with probabilities. */
  max_top_logprobs: z.int().positive().optional(),
  /** Returns no probabilities while it thinks. Probabilities take precedence, and thinking is switched off. */
  logprobs_need_no_thinking: z.boolean().optional(),
  /** Accepts `user`, which gets a digest of metadata.user_id. */
  user_field: z.boolean().optional(),
  /** How it continues an answer that has begun: the last message of the assistant is marked as a prefix. */
  begun_answers: z.enum(['prefix']).optional(),
  /** Refuses a user message directly after a tool's result. */
  assistant_after_tool: z.boolean().optional(),
  /** Has functions instead of tools: one call for each message, with arguments and result as objects. */
  functions: z.boolean().optional(),
  /** The request has stream_options.include_usage. */
  stream_usage: z.boolean().optional(),
  /** Accepts PDF documents. */
  pdf_files: z.boolean().optional(),
  /** Accepts recordings as `input_audio`. */
  audio_files: z.boolean().optional(),
});
export type OpenaiChatQuirks = z.infer<typeof openaiChatQuirks>;

const googleGeminiQuirks = z.strictObject({
  ...common,
  /**
   * Accepts thinkingBudget within these bounds, in tokens. A `least` of 0 means that thinking can be switched off.
   * Gemini 2.5.
   */
  thinking_budget: z.strictObject({ least: z.int().nonnegative(), most: z.int().positive() }).optional(),
  /** Accepts thinkingLevel with these values, in ascending order. None of them switches thinking off. Gemini 3. */
  thinking_levels: z.array(z.enum(thinkingLevels)).min(1).optional(),
  /**
   * The model thinks, and bills this, if a request has no `thinking`. Depends on the model, so it is set per endpoint.
   */
  thinks_by_default: z.boolean().optional(),
  /**
   * It requires a thought signature on earlier calls. If a call has none, the documented placeholder is sent. Gemini 3.
   */
  thought_signature_placeholder: z.boolean().optional(),
  /** Accepts either tools or a schema of the answer. Gemini 2.5. */
  format_excludes_tools: z.boolean().optional(),
  /** Accepts images and PDFs in results of tools. Gemini 3. */
  media_in_results: z.boolean().optional(),
  /** Accepts ids of calls and results; Vertex AI refuses them. */
  call_ids: z.boolean().optional(),
  /** Has :countTokens, for a whole request (Gemini API), or for contents and tools (Vertex AI). */
  count_tokens: z.enum(['request', 'contents']).optional(),
});
export type GoogleGeminiQuirks = z.infer<typeof googleGeminiQuirks>;

const openaiResponsesQuirks = z.strictObject({
  ...common,
  /** Role of system messages in the middle of a conversation. */
  system_role: z.enum(['developer', 'system']).optional(),
  /** Accepted efforts of a reasoning model, in ascending order; an empty list accepts none. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Whether a request for summaries of reasoning is accepted. */
  reasoning_summary: z.enum(['auto', 'none']).optional(),
  /** Its earlier messages need a phase: a comment before a call, or a final answer. */
  message_phase: z.boolean().optional(),
  /** Accepts `safety_identifier`, which gets a digest of metadata.user_id. */
  safety_identifier: z.boolean().optional(),
  /** Accepts `prompt_cache_key`, which gets the same digest: prompts of one user share their beginnings. */
  prompt_cache_key: z.boolean().optional(),
  /** Accepts PDF documents. */
  pdf_files: z.boolean().optional(),
});
export type OpenaiResponsesQuirks = z.infer<typeof openaiResponsesQuirks>;

const bedrockConverseQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /** Family of the model. Converse has one format, but only some families accept certain fields. */
  family: z.enum(['other', 'claude', 'nova']).optional(),
  /** Accepts documents, including PDF. */
  pdf_files: z.boolean().optional(),
  /** The model thinks, and bills this, if a request has no `thinking`. */
  thinks_by_default: z.boolean().optional(),
});
export type BedrockConverseQuirks = z.infer<typeof bedrockConverseQuirks>;

/** Decisions over chat completions. */
const decisionsChatQuirks = z.strictObject({
  ...common,
  /** Name of the output limit. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
});
export type DecisionsChatQuirks = z.infer<typeof decisionsChatQuirks>;

const decisionsLogprobsQuirks = decisionsChatQuirks.extend({
  /** Divisor of the log-probabilities: above 1 for an overconfident model. 1 if absent. */
  temperature: z.number().min(0.1).max(10).optional(),
});
export type DecisionsLogprobsQuirks = z.infer<typeof decisionsLogprobsQuirks>;

const videoQuirks = z.strictObject({
  /** Makes videos only from an image: a request without a first_frame is refused. */
  needs_first_frame: z.boolean().optional(),
});

const embeddingsQuirks = z.strictObject({
  ...common,
  /** Maximum number of texts in a request, if it differs from the limit of the wire's own service. */
  max_inputs: z.int().positive().optional(),
  /**
   * Maximum bytes of text in a request; larger inputs are split into several requests. A token has at least one byte.
   */
  max_request_bytes: z.int().positive().optional(),
  /** Length of the model's vectors, unless a request sets another. The gateway splits lists of texts by it. */
  vector_dimensions: z.int().positive().optional(),
});
const openaiEmbeddingsQuirks = embeddingsQuirks.extend({
  /** Name of the field for the length of the vectors. */
  dimensions_field: z.enum(['dimensions', 'output_dimension']).optional(),
  /** Accepts lists of tokens instead of texts. */
  takes_tokens: z.boolean().optional(),
  /** Can return vectors in base64, a quarter of the size of numbers. */
  base64: z.boolean().optional(),
});
export type EmbeddingsQuirks = z.infer<typeof openaiEmbeddingsQuirks>;

const none = z.strictObject({});

/** The only quirks that endpoints of each wire may have. */
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
  'openai-images': none,
  'openai-audio': none,
  rerank: none,
} as const satisfies Record<string, z.ZodObject>;
export type QuirksOf<Name extends keyof typeof quirkSchemas> = z.infer<(typeof quirkSchemas)[Name]>;
