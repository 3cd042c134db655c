/**
 * Parameters that a model may list, as the public convention names them. The gateway itself uses some of them
 * (docs/catalog.md); the others are information for clients.
 */
export const modelParameters: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'temperature',
  'top_p',
  'top_k',
  'min_p',
  'top_a',
  'frequency_penalty',
  'presence_penalty',
  'repetition_penalty',
  'reasoning',
  'include_reasoning',
  'reasoning_effort',
  'structured_outputs',
  'response_format',
  'seed',
  'dimensions',
  'input_type',
  'max_tokens_per_doc',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'verbosity',
  'web_search_options',
]);
