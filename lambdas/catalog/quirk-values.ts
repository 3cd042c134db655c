/** Possible values of quirks, without schemas, so that functions that need only the values do not load the schemas. */

/** Quirks that several wires have in common. */
export const commonQuirkNames = [
  'tokenizer',
  'max_image_tokens',
  'hidden_reasoning',
  'reasoning_beyond_max_tokens',
  'max_thinking_budget',
  'min_output_tokens',
  'service_tier',
  'stores_requests',
  'sampling_ranges',
  'modalities',
] as const;

/** Kinds of output, besides text, that a message's answer may have. */
export const mediaModalities = ['image', 'audio'] as const;
export type MediaModality = (typeof mediaModalities)[number];

export const imageSizes = ['512', '1K', '2K', '4K'] as const;

/** Parts that some vendors' versions of the Messages API do not support; requests with them are refused. */
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
 * Parts that some services with Claude models reject. They are replaced with an equivalent, or dropped if that does not
 * change the meaning.
 */
export const rewritableParts = [
  'defer_loading',
  'context_management',
  'system_messages',
  'turn_effort',
  'eager_input_streaming',
  'input_examples',
  'search_result',
] as const;
export type ConvertiblePart = (typeof rewritableParts)[number];

/** Efforts of reasoning in ascending order. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/**
 * Forms of `thinking` in the Messages API. `adaptive`: the model decides how much it thinks. `budget`: it thinks up to
 * a maximum number of tokens. `between_tools`: it thinks only between tool calls. `disabled`: it does not think.
 */
export const thinkingForms = ['adaptive', 'budget', 'between_tools', 'disabled'] as const;

/** Gemini's thinkingLevel, in ascending order. */
export const thinkingLevels = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

/** Formats of recordings to transcribe, with the names that clients use. */
export const recordingFormats = ['wav', 'mp3', 'flac', 'm4a', 'ogg', 'webm', 'aac'] as const;
export type RecordingFormat = (typeof recordingFormats)[number];

/** Audio formats of speech, with the names of OpenAI's API. `pcm` is 16-bit, 24 kHz, mono, without a header. */
export const speechFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof speechFormats)[number];
