import type { Message, MessagesRequest } from './types.ts';
import { without } from './without.ts';

/** A message that may set the thinking effort from its turn on. */
type Controlled = Message & { output_config?: { effort?: string | null; [field: string]: unknown } | null };

/**
 * Moves the thinking effort from the messages to the request. The last effort applies, because only the next turn is
 * generated. A message with other output settings stays unchanged. A message that only set the effort is removed.
 */
export function withTurnEffort(request: MessagesRequest): MessagesRequest {
  const messages = request.messages as Controlled[];
  if (!messages.some(hasOnlyEffort)) return request;
  const effort = messages.findLast(hasOnlyEffort)!.output_config!.effort!;
  return {
    ...request,
    output_config: { ...request.output_config, effort },
    messages: messages.flatMap((message) => {
      if (!hasOnlyEffort(message)) return [message];
      return message.content.length === 0 ? [] : [without(message, 'output_config')];
    }),
  };
}

function hasOnlyEffort({ output_config: output }: Controlled): boolean {
  return typeof output?.effort === 'string' && Object.keys(output).length === 1;
}
