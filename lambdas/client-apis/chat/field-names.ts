import type { ClientFieldNames } from '../field-names.ts';
import { responsesFieldNames } from '../responses/field-names.ts';
import type { ChatCall } from './request.ts';

/** Field names of the Chat Completions API, by their names in the Messages API. */
const chatFields: ClientFieldNames['fields'] = {
  system: 'messages.0',
  stop_sequences: 'stop',
  thinking: 'reasoning',
  'output_config.effort': 'reasoning_effort',
  'output_config.format': 'response_format',
  'metadata.user_id': 'user',
  'tool_choice.disable_parallel_tool_use': 'parallel_tool_calls',
};

export function chatFieldNames({ origins, hasItems }: Pick<ChatCall, 'origins' | 'hasItems'>): ClientFieldNames {
  if (hasItems) return responsesFieldNames(origins);
  return { fields: chatFields, conversation: 'messages', origins };
}
