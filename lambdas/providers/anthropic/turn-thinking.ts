import { asBlocks } from '../../messages/as-blocks.ts';
import { hasGatewaySignature } from '../../messages/thinking-signatures.ts';
import type { Message } from '../../messages/types.ts';

/**
 * Returns whether the assistant turn that the request continues begins with something other than Claude's own thinking.
 * With a thinking budget, Claude rejects such a request: "Expected `thinking` or `redacted_thinking`, but found
 * `tool_use`" (https://platform.claude.com/docs/en/build-with-claude/extended-thinking#preserving-thinking-blocks).
 */
export function beginsTurnUnthought(messages: readonly Message[]): boolean {
  const conversation = messages.filter(({ role }) => role !== 'system');
  let begin = conversation.length;
  for (let at = conversation.length - 1; at >= 0 && goesOn(conversation, at); at -= 1) begin = at;
  const first = conversation.slice(begin).find(({ role }) => role === 'assistant');
  return first !== undefined && !beginsWithThinking(first);
}

/**
 * Returns whether a message belongs to the turn that the request continues. The turn consists of assistant messages,
 * and of consecutive user messages with a tool result among them.
 */
function goesOn(messages: readonly Message[], at: number): boolean {
  if (messages[at]!.role === 'assistant') return at < messages.length - 1;
  let first = at;
  let last = at;
  while (messages[first - 1]?.role === 'user') first -= 1;
  while (messages[last + 1]?.role === 'user') last += 1;
  return messages
    .slice(first, last + 1)
    .some((message) => asBlocks(message.content).some(({ type }) => type === 'tool_result'));
}

function beginsWithThinking(message: Message): boolean {
  const first = asBlocks(message.content).find((block) => !hasGatewaySignature(block));
  return first?.type === 'thinking' || first?.type === 'redacted_thinking';
}
