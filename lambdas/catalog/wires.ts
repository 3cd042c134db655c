/**
 * What the catalog has to know of each wire, a format that upstreams speak. How a wire is spoken is in `providers/`;
 * nothing outside of the two rooms knows a wire by its name.
 */

import * as z from 'zod';
import type { AuthScheme } from './auth-schemes.ts';

export const inputModalities = ['text', 'image', 'file', 'audio', 'video'] as const;
export type InputModality = (typeof inputModalities)[number];

/** Quirks that an endpoint on any wire may have; the only ones that are read outside of the wire's own codec. */
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
};
/** Quirks as a file has them, before their wire is known. */
export const anyQuirks = z.looseObject(common);
const commonQuirks = z.object(common);
export type Quirks = z.infer<typeof commonQuirks>;

/** What of some quirks may be said on any wire. */
export function commonOf(quirks: Quirks | undefined): Quirks {
  return commonQuirks.parse(quirks ?? {});
}

/** What providers that imitate the Messages API were seen to leave out. */
const lackableParts = [
  'image',
  'document',
  'url_source',
  'file_source',
  'search_result',
  'citations',
  'temperature',
  'top_k',
  'stop_sequences',
  'output_format',
  'strict',
  'typed_tools',
  'disable_parallel_tool_use',
] as const;
export type LackablePart = (typeof lackableParts)[number];

/** Kinds of input that cannot be sent without a part. */
const partsOf: Partial<Record<LackablePart, readonly InputModality[]>> = {
  image: ['image', 'audio', 'video'],
  document: ['file'],
};

const anthropicQuirks = z.strictObject({
  ...common,
  /** Signs thinking itself; only this provider accepts its signatures. */
  own_signatures: z.boolean().optional(),
  /** While it thinks, it refuses an earlier call without the thinking before it, whoever made the call. */
  thinking_before_calls: z.boolean().optional(),
  /** What requests are put in, where Claude runs elsewhere. */
  envelope: z.enum(['none', 'bedrock-invoke', 'vertex-predict']).optional(),
  /** Parts of a request that it does not take, and would silently leave out. */
  lacks: z.array(z.enum(lackableParts)).optional(),
  /** Has POST /v1/messages/count_tokens. */
  count_tokens: z.boolean().optional(),
  /** The model thinks, and this is billed, when a request has no `thinking`. Depends on the model: per endpoint. */
  thinks_by_default: z.boolean().optional(),
});
export type AnthropicQuirks = z.infer<typeof anthropicQuirks>;

/** Each asks for more thinking than the one before it. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

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
  /** Has to be asked to keep thinking apart from the answer. */
  reasoning_format: z.enum(['parsed']).optional(),
  /** Field in which earlier reasoning of the assistant has to be sent back; "none" drops it. */
  reasoning_history: z.enum(['none', 'reasoning_content']).optional(),
  /** Rule for ids of tool calls. */
  tool_call_ids: z.enum(['any', 'nine_alphanumerics', 'name_and_position']).optional(),
  /** Values of tool_choice that it takes, as the Messages API names them; all where absent. */
  tool_choices: z.array(z.enum(['auto', 'any', 'tool', 'none'])).optional(),
  /** Takes parallel_tool_calls: without it, several calls in one answer cannot be ruled out. */
  parallel_tool_calls: z.boolean().optional(),
  /** Takes images in the results of tools. */
  tool_result_parts: z.boolean().optional(),
  /** The most stop sequences that it takes. */
  max_stop_sequences: z.int().positive().optional(),
  /** Takes `user`, which gets a digest of metadata.user_id. */
  user_field: z.boolean().optional(),
  /** Refuses a user message directly after a tool's result. */
  assistant_after_tool: z.boolean().optional(),
  /** Has functions instead of tools: one call a message, its arguments and its result as objects. */
  functions: z.boolean().optional(),
  /** Send stream_options.include_usage. */
  stream_usage: z.boolean().optional(),
  /** PDF documents are accepted. */
  pdf_files: z.boolean().optional(),
});
export type OpenaiChatQuirks = z.infer<typeof openaiChatQuirks>;

/** Levels of Gemini's thinking, the least first. */
const thinkingLevels = ['minimal', 'low', 'medium', 'high'] as const;

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
  /** Takes images and PDFs inside of results of tools. Gemini 3. */
  media_in_results: z.boolean().optional(),
  /** Takes the ids of calls and results; Vertex AI refuses them. */
  call_ids: z.boolean().optional(),
  /** Has :countTokens, which takes a whole request (Gemini API), or its contents and tools (Vertex AI). */
  count_tokens: z.enum(['request', 'contents']).optional(),
});
export type GoogleGeminiQuirks = z.infer<typeof googleGeminiQuirks>;
export type ThinkingLevel = (typeof thinkingLevels)[number];

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

interface WireFacts {
  /** How its providers are usually told whose request it is. */
  auth: AuthScheme;
  /** Quirks that its endpoints may have. */
  quirks: z.ZodObject;
  /** Undefined where the wire cannot answer messages. */
  messages: MessagesFacts | undefined;
  /** It answers questions with probabilities. */
  decides?: true;
  /** It makes videos. */
  video?: true;
}

export interface MessagesFacts {
  /** Kinds of input that an endpoint with these quirks takes. */
  carries(quirks: Quirks): readonly InputModality[];
  /** It can express frequency_penalty, presence_penalty and repetition_penalty. */
  hasPenalties: boolean;
  /** The provider writes (and may charge for) caches that the request did not ask for. */
  cachesUnasked: boolean;
  /** The quirk in which each endpoint of a reasoning model has to say whether the model thinks without being asked. */
  unaskedThinking: string | undefined;
}

/** Models on these are in the lists only: nothing is sent to their endpoints. */
const listedOnly = { auth: 'bearer', quirks: z.strictObject({}), messages: undefined } as const;

const wireTable = {
  anthropic: {
    auth: 'x-api-key',
    quirks: anthropicQuirks,
    messages: {
      carries: ({ lacks = [] }: AnthropicQuirks) =>
        inputModalities.filter((modality) => !lacks.some((part) => partsOf[part]?.includes(modality))),
      hasPenalties: false,
      cachesUnasked: false,
      unaskedThinking: 'thinks_by_default',
    },
  },
  'openai-chat': {
    auth: 'bearer',
    quirks: openaiChatQuirks,
    messages: {
      carries: ({ pdf_files }: OpenaiChatQuirks) => (pdf_files ? ['text', 'image', 'file'] : ['text', 'image']),
      hasPenalties: true,
      cachesUnasked: true,
      unaskedThinking: undefined,
    },
  },
  'google-gemini': {
    auth: 'x-goog-api-key',
    quirks: googleGeminiQuirks,
    messages: {
      carries: () => ['text', 'image', 'file'],
      hasPenalties: false,
      cachesUnasked: false,
      unaskedThinking: 'thinks_by_default',
    },
  },
  'openai-responses': {
    auth: 'bearer',
    quirks: openaiResponsesQuirks,
    messages: {
      carries: ({ pdf_files }: OpenaiResponsesQuirks) => (pdf_files ? ['text', 'image', 'file'] : ['text', 'image']),
      hasPenalties: false,
      cachesUnasked: true,
      unaskedThinking: undefined,
    },
  },
  'bedrock-converse': {
    auth: 'aws-sigv4',
    quirks: bedrockConverseQuirks,
    messages: {
      carries: ({ pdf_files }: BedrockConverseQuirks) => (pdf_files ? ['text', 'image', 'file'] : ['text', 'image']),
      hasPenalties: false,
      cachesUnasked: false,
      unaskedThinking: undefined,
    },
  },
  /** All questions in one request, to a provider that decides. */
  'decisions-native': { auth: 'bearer', quirks: z.strictObject(common), messages: undefined, decides: true },
  /** By the probabilities of the next token, over chat completions. */
  'decisions-logprobs': { auth: 'bearer', quirks: decisionsLogprobsQuirks, messages: undefined, decides: true },
  /** By what the model says of itself, over chat completions. */
  'decisions-stated': { auth: 'bearer', quirks: decisionsChatQuirks, messages: undefined, decides: true },
  'video-jobs': { auth: 'bearer', quirks: z.strictObject({}), messages: undefined, video: true },
  'google-veo': { auth: 'x-goog-api-key', quirks: z.strictObject({}), messages: undefined, video: true },
  'minimax-video': { auth: 'bearer', quirks: videoQuirks, messages: undefined, video: true },
  'runway-tasks': { auth: 'bearer', quirks: videoQuirks, messages: undefined, video: true },
  'openai-embeddings': listedOnly,
  'openai-images': listedOnly,
  'openai-audio': listedOnly,
  rerank: listedOnly,
} as const satisfies Record<string, WireFacts>;

export type Wire = keyof typeof wireTable;
/** Wires that can answer messages. */
export type MessagesWireName = {
  [Name in Wire]: (typeof wireTable)[Name]['messages'] extends undefined ? never : Name;
}[Wire];
/** Wires that can decide. */
export type DecisionsWireName = {
  [Name in Wire]: (typeof wireTable)[Name] extends { decides: true } ? Name : never;
}[Wire];
/** Wires that make videos. */
export type VideoWireName = {
  [Name in Wire]: (typeof wireTable)[Name] extends { video: true } ? Name : never;
}[Wire];
export type QuirksOf<Name extends Wire> = z.infer<(typeof wireTable)[Name]['quirks']>;

export const wires = Object.keys(wireTable) as [Wire, ...Wire[]];
export const messagesWires = wires.filter((wire): wire is MessagesWireName => wireTable[wire].messages !== undefined);

export function factsOf(wire: Wire): WireFacts {
  return wireTable[wire];
}
