/**
 * Possible values of quirks (the special properties of endpoints in the catalog). They are in a file without schemas,
 * so that Lambda functions that need only the values do not load the schemas.
 */

/**
 * Names of the quirks that several wires have in common. Apart from the code of provider APIs, only code of the catalog
 * reads other quirks.
 */
export const commonQuirkNames = [
  'tokenizer',
  'max_image_tokens',
  'hidden_reasoning',
  'reasoning_beyond_max_tokens',
  'max_thinking_budget',
  'min_output_tokens',
  'service_tier',
  'sampling_ranges',
  'modalities',
] as const;

/** Kinds of output, besides text, that a message's answer may have. */
export const mediaModalities = ['image', 'audio'] as const;
export type MediaModality = (typeof mediaModalities)[number];

/** Sizes of drawn images. */
export const imageSizes = ['512', '1K', '2K', '4K'] as const;

/**
 * Parts of a request that some vendors' versions of the Messages API do not support. The gateway refuses requests with
 * unsupported parts.
 */
export const lackableParts = [
  'image',
  'document',
  'url_source',
  'file_source',
  'citations',
  'temperature',
  'top_k',
  'stop_sequences',
  'output_format',
  'strict',
  'typed_tools',
  'disable_parallel_tool_use',
  'assistant_prefill',
] as const;
export type UnsupportedPart = (typeof lackableParts)[number];

/**
 * Parts of a request that some services with Claude models reject. The gateway replaces them with an equivalent, or
 * drops them if that does not change the meaning.
 */
export const rewritableParts = [
  'defer_loading',
  'context_management',
  'system_messages',
  'turn_effort',
  'eager_input_streaming',
  'search_result',
] as const;
export type ConvertiblePart = (typeof rewritableParts)[number];

/** Thinking efforts, in ascending order. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/**
 * Forms of the field `thinking` in the Messages API, in this order: the model decides how much it thinks, a maximum
 * number of tokens, only between tool calls, no thinking.
 */
export const thinkingForms = ['adaptive', 'budget', 'between_tools', 'disabled'] as const;

/** Values of Gemini's thinkingLevel, in ascending order. */
export const thinkingLevels = ['minimal', 'low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

/** Formats of recordings to transcribe, by the names that clients use. */
export const recordingFormats = ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm', 'aac'] as const;
export type RecordingFormat = (typeof recordingFormats)[number];

/** Formats of speech, by the names of OpenAI's API. `pcm` is 16-bit, 24 kHz, mono, without a header. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];
