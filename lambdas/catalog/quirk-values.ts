/** What quirks may say; their schema is apart, so that functions start without it. */

/** Quirks that an endpoint on any wire may have; the only ones that are read outside of the wire's own codec. */
export const commonQuirkNames = [
  'tokenizer',
  'max_image_tokens',
  'hidden_reasoning',
  'reasoning_beyond_max_tokens',
  'min_output_tokens',
  'service_tier',
  'sampling_ranges',
] as const;

/** What providers that imitate the Messages API were seen to leave out. */
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

/** Parts of a request that some homes of Claude do not take, and that can be said otherwise, or say nothing to a model. */
export const rewritableParts = [
  'defer_loading',
  'context_management',
  'system_messages',
  'turn_effort',
  'eager_input_streaming',
] as const;
export type ConvertiblePart = (typeof rewritableParts)[number];

/** Each asks for more thinking than the one before it. */
export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof reasoningEfforts)[number];

/**
 * Forms of `thinking` in the Messages API: as much as the model finds useful, within a budget of tokens, between calls of tools alone,
 * and not at all.
 */
export const thinkingForms = ['adaptive', 'budget', 'between_tools', 'disabled'] as const;

/** Levels of Gemini's thinking, the least first. */
export const thinkingLevels = ['minimal', 'low', 'medium', 'high'] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];
