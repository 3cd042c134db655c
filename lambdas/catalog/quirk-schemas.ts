/** The quirks of each wire: how endpoints depart from its plain form, as the catalog's files say it. */

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
  /** The vocabulary that it counts with, where the gateway knows it. */
  tokenizer: z.enum(['o200k']).optional(),
  /** The most tokens that one image can count for; 6,000 where absent. */
  max_image_tokens: z.int().positive().optional(),
  /** Reasoning is billed but not shown, so a hold has to cover all of max_tokens at once. */
  hidden_reasoning: z.boolean().optional(),
  /** max_tokens bounds only the answer, not the thinking before it. */
  reasoning_beyond_max_tokens: z.boolean().optional(),
  /** The least that it takes as max_tokens: a smaller one is raised to it, and the answer may cost as much. */
  min_output_tokens: z.int().positive().optional(),
  /**
   * Sent as `service_tier` on wires that have the field. Without it, OpenAI and Azure use the tier of the operator's project,
   * and a tier with priority costs more than the catalog's price.
   */
  service_tier: z.enum(['default']).optional(),
  /** Values of sampling parameters that it takes: a value outside of them is sent as the nearest, and a seed as another one within them. */
  sampling_ranges: z.partialRecord(z.enum(rangedParameters), z.tuple([z.number(), z.number()])).optional(),
} satisfies Record<(typeof commonQuirkNames)[number], z.ZodType>;
/** Quirks as a file has them, before their wire is known. */
export const anyQuirks = z.looseObject(common);
const commonQuirks = z.object(common);
export type Quirks = z.infer<typeof commonQuirks>;

/** Forms of thinking, forced tools and sampling that a Claude model takes. They differ from generation to generation. */
const claudeQuirks = {
  /** Forms of `thinking` that it takes; another form is sent as the nearest. Absent: `thinking` is passed on as it is. */
  thinking_forms: z.array(z.enum(thinkingForms)).min(1).optional(),
  /** Values of output_config.effort that it takes; an empty list: none. Absent: any. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Values of output_config.effort that it takes while it does not think, where these are fewer. */
  efforts_without_thinking: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** Values of tool_choice.type that it takes; all where absent. */
  tool_choices: z.array(z.enum(toolChoices)).min(1).optional(),
  /** It refuses a forced tool while it thinks: the call is the stronger wish, and thinking is switched off. */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** While it thinks, it takes no sampling of the client's. */
  thinking_fixes_sampling: z.boolean().optional(),
  /** It takes either temperature or top_p; of both, temperature is sent. */
  temperature_or_top_p: z.boolean().optional(),
};

const anthropicQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /** Signs thinking itself; only this provider accepts its signatures. */
  own_signatures: z.boolean().optional(),
  /** While it thinks, it refuses an earlier call without the thinking before it, whoever made the call. */
  thinking_before_calls: z.boolean().optional(),
  /** What requests are put in, where Claude runs elsewhere. */
  envelope: z.enum(['none', 'bedrock-invoke', 'vertex-predict']).optional(),
  /** Anthropic's own service: it alone reads the line with which Claude Code names itself for billing. */
  own_service: z.boolean().optional(),
  /** Its schemas of arguments have a type in every part, and none beside `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Parts of a request that it does not take: the first kind is refused by name, the second is said otherwise. */
  lacks: z.array(z.enum([...lackableParts, ...rewritableParts])).optional(),
  /** The only betas that it takes; others are left out. Absent: it takes them all. */
  betas: z.array(z.string()).optional(),
  /** Has POST /v1/messages/count_tokens. */
  count_tokens: z.boolean().optional(),
  /** The model thinks, and this is billed, when a request has no `thinking`. Depends on the model: per endpoint. */
  thinks_by_default: z.boolean().optional(),
});
export type AnthropicQuirks = z.infer<typeof anthropicQuirks>;
/** The part of a wire's quirks that says what its model of Claude takes. */
export type ClaudeQuirks = Pick<AnthropicQuirks, keyof typeof claudeQuirks | 'thinks_by_default' | 'own_signatures'>;

const openaiChatQuirks = z.strictObject({
  ...common,
  /** Name of the output limit. */
  max_tokens_field: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
  /** Role that carries the system prompt. */
  system_role: z.enum(['system', 'developer']).optional(),
  /** How thinking is asked for; "none" means the model decides by itself. */
  reasoning_request: z
    .enum(['none', 'reasoning_effort', 'reasoning_enabled', 'reasoning_object', 'enable_thinking', 'thinking_type'])
    .optional(),
  /** Values of reasoning_effort that it takes: of the endpoint, because they differ from model to model. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).min(1).optional(),
  /** It refuses a forced tool while it thinks: the call is the stronger wish, and thinking is switched off. */
  forced_tool_needs_no_thinking: z.boolean().optional(),
  /** Takes either tools or a schema of the answer. */
  format_excludes_tools: z.boolean().optional(),
  /** It refuses a schema of the answer while it thinks: the schema is the stronger wish, and thinking is switched off. */
  format_needs_no_thinking: z.boolean().optional(),
  /** Has to be asked to keep thinking apart from the answer. */
  reasoning_format: z.enum(['parsed']).optional(),
  /** Field in which earlier reasoning of the assistant has to be sent back; "none" drops it. */
  reasoning_history: z.enum(['none', 'reasoning_content']).optional(),
  /** Rule for ids of tool calls. */
  tool_call_ids: z.enum(['any', 'nine_alphanumerics', 'name_and_position']).optional(),
  /** Values of tool_choice that it takes, as the Messages API names them; all where absent. */
  tool_choices: z.array(z.enum(toolChoices)).optional(),
  /** Takes parallel_tool_calls: without it, several calls in one answer cannot be ruled out. */
  parallel_tool_calls: z.boolean().optional(),
  /** Its schemas of arguments have a type in every part, and none beside `anyOf`. */
  typed_schemas: z.boolean().optional(),
  /** Takes images in the results of tools. */
  tool_result_parts: z.boolean().optional(),
  /** The most stop sequences that it takes. */
  max_stop_sequences: z.int().positive().optional(),
  /** Name of the seed. */
  seed_field: z.enum(['seed', 'random_seed']).optional(),
  /** The most other tokens that it tells for each token of an answer with probabilities. */
  max_top_logprobs: z.int().positive().optional(),
  /** It gives no probabilities while it thinks: they are the stronger wish, and thinking is switched off. */
  logprobs_need_no_thinking: z.boolean().optional(),
  /** Takes `user`, which gets a digest of metadata.user_id. */
  user_field: z.boolean().optional(),
  /** How it is told that an answer has begun: a last message of the assistant is marked as a prefix. */
  begun_answers: z.enum(['prefix']).optional(),
  /** Refuses a user message directly after a tool's result. */
  assistant_after_tool: z.boolean().optional(),
  /** Has functions instead of tools: one call a message, its arguments and its result as objects. */
  functions: z.boolean().optional(),
  /** Send stream_options.include_usage. */
  stream_usage: z.boolean().optional(),
  /** PDF documents are accepted. */
  pdf_files: z.boolean().optional(),
  /** Recordings are accepted, as `input_audio`. */
  audio_files: z.boolean().optional(),
});
export type OpenaiChatQuirks = z.infer<typeof openaiChatQuirks>;

const googleGeminiQuirks = z.strictObject({
  ...common,
  /** Takes thinkingBudget, within these tokens; a least of 0 switches thinking off. Gemini 2.5. */
  thinking_budget: z.strictObject({ least: z.int().nonnegative(), most: z.int().positive() }).optional(),
  /** Takes thinkingLevel, with these values, the least first; none of them switches thinking off. Gemini 3. */
  thinking_levels: z.array(z.enum(thinkingLevels)).min(1).optional(),
  /** The model thinks, and this is billed, when a request has no `thinking`. Depends on the model: per endpoint. */
  thinks_by_default: z.boolean().optional(),
  /** Asks for a thought signature on earlier calls; where none came back, the documented placeholder is sent. Gemini 3. */
  thought_signature_placeholder: z.boolean().optional(),
  /** Takes either tools or a schema of the answer. Gemini 2.5. */
  format_excludes_tools: z.boolean().optional(),
  /** Takes images and PDFs inside of results of tools. Gemini 3. */
  media_in_results: z.boolean().optional(),
  /** Takes the ids of calls and results; Vertex AI refuses them. */
  call_ids: z.boolean().optional(),
  /** Has :countTokens, which takes a whole request (Gemini API), or its contents and tools (Vertex AI). */
  count_tokens: z.enum(['request', 'contents']).optional(),
});
export type GoogleGeminiQuirks = z.infer<typeof googleGeminiQuirks>;

const openaiResponsesQuirks = z.strictObject({
  ...common,
  /** Role of system messages in the middle of a conversation. */
  system_role: z.enum(['developer', 'system']).optional(),
  /** What a reasoning model takes as its effort, from the weakest to the strongest; an empty list: nothing. */
  reasoning_efforts: z.array(z.enum(reasoningEfforts)).max(reasoningEfforts.length).optional(),
  /** Whether summaries of reasoning may be asked for. */
  reasoning_summary: z.enum(['auto', 'none']).optional(),
  /** Has to be told which of its messages were said on the way to a call, and which were answers. */
  message_phase: z.boolean().optional(),
  /** Takes `safety_identifier`, which gets a digest of metadata.user_id. */
  safety_identifier: z.boolean().optional(),
  /** Takes `prompt_cache_key`, which gets the same digest: one user's prompts share their beginnings. */
  prompt_cache_key: z.boolean().optional(),
  /** PDF documents are accepted. */
  pdf_files: z.boolean().optional(),
});
export type OpenaiResponsesQuirks = z.infer<typeof openaiResponsesQuirks>;

const bedrockConverseQuirks = z.strictObject({
  ...common,
  ...claudeQuirks,
  /** Whose model it is: Converse has one form, and fields that only some families take. */
  family: z.enum(['other', 'claude', 'nova']).optional(),
  /** Documents are accepted, PDF among them. */
  pdf_files: z.boolean().optional(),
  /** The model thinks, and this is billed, when a request has no `thinking`. */
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
  /** By which its log-probabilities are divided: above 1 for a model that is surer than it is right. 1 where absent. */
  temperature: z.number().min(0.1).max(10).optional(),
});
export type DecisionsLogprobsQuirks = z.infer<typeof decisionsLogprobsQuirks>;

const videoQuirks = z.strictObject({
  /** Makes videos of a picture alone: a request without a first_frame is refused. */
  needs_first_frame: z.boolean().optional(),
});

const embeddingsQuirks = z.strictObject({
  ...common,
  /** The most texts that one request may have, where it is not what the wire's own service takes. */
  max_inputs: z.int().positive().optional(),
  /** The most bytes of text that one request may have: more are sent in several. A token has at least one byte. */
  max_request_bytes: z.int().positive().optional(),
  /** Length of the model's vectors, unless a request names another. The gateway divides lists of texts by it. */
  vector_dimensions: z.int().positive().optional(),
});
const openaiEmbeddingsQuirks = embeddingsQuirks.extend({
  /** Name of the field for the length of the vectors. */
  dimensions_field: z.enum(['dimensions', 'output_dimension']).optional(),
  /** Takes lists of tokens in the place of texts. */
  takes_tokens: z.boolean().optional(),
  /** Answers in base64 if requested: four times smaller than numbers. */
  base64: z.boolean().optional(),
});
export type EmbeddingsQuirks = z.infer<typeof openaiEmbeddingsQuirks>;

const none = z.strictObject({});

/** By wire: those that its endpoints may have, and no others. */
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
