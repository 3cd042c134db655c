import type { ClientFieldNames, ClientMessagePosition } from '../field-names.ts';

/** Field names of the Responses API, by their names in the Messages API. */
export const responsesRenames: ClientFieldNames['fields'] = {
  messages: 'input',
  stop_sequences: 'stop',
  verbosity: 'text.verbosity',
  logprobs: 'include',
  max_tokens: 'max_output_tokens',
  system: 'instructions',
  thinking: 'reasoning',
  'output_config.effort': 'reasoning.effort',
  'output_config.format': 'text.format',
  'metadata.user_id': 'user',
  'tool_choice.disable_parallel_tool_use': 'parallel_tool_calls',
};

/** Returns the client's names for fields of the Messages API, and the positions of messages in the client's request. */
export function responsesFieldNames(origins: readonly ClientMessagePosition[]): ClientFieldNames {
  return { fields: responsesRenames, conversation: 'input', origins };
}
