/** Values of quirks. They are separate from the schemas, so that functions start without loading those. */

/** Quirks of endpoints on any wire. Only these are read outside of the wire's own codec. */
export const commonQuirkNames = [
  'tokenizer',
  'max_image_tokens',
  'hidden_reasoning',
  'reasoning_beyond_max_tokens',
  'min_output_tokens',
  'service_tier',
  'sampling_ranges',
] as const;

/** Parts that some imitations of the Messages API lack. */
export const lackableParts = [
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
  'assistant_prefill',
] as const;
export type UnsupportedPart = (typeof lackableParts)[number];

/**
 * Parts of a request that some services with Claude refuse, and that the gateway can rewrite, or drop without changing
 * the meaning.
 */
export const rewritableParts = [
  'defer_loading',
  'context_management',
  'system_messages',
  'turn_effort',
  'eager_input_streaming',
] as const;
export type ConvertiblePart = (typeof rewritableParts)[number];

/** In ascending order of thinking. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/**
 * Forms of `thinking` in the Messages API: as much as the model finds useful, up to a token budget, only between tool
 * calls, or none.
 */
export const thinkingForms = ['adaptive', 'budget', 'between_tools', 'disabled'] as const;

/** Levels of Gemini's thinking, in ascending order. */
export const thinkingLevels = ['minimal', 'low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];
