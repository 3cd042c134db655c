import type { Message, MessagesRequest } from './types.ts';
import { without } from './without.ts';

/** A message that says how much the model is to think from there on. */
type Controlled = Message & { output_config?: { effort?: string | null; [field: string]: unknown } | null };

/**
 * Effort that is said within the conversation, as the request says it: the last word counts, because only the next turn is
 * written. A message that says anything else of its output is left as it is. @returns the same request where none does
 */
export function withTurnEffort(request: MessagesRequest): MessagesRequest {
  const messages = request.messages as Controlled[];
  if (!messages.some(saysOnlyEffort)) return request;
  const effort = messages.findLast(saysOnlyEffort)!.output_config!.effort!;
  return {
    ...request,
    output_config: { ...request.output_config, effort },
    messages: messages.map((message) => (saysOnlyEffort(message) ? without(message, 'output_config') : message)),
  };
}

function saysOnlyEffort({ output_config: output }: Controlled): boolean {
  return typeof output?.effort === 'string' && Object.keys(output).length === 1;
}
