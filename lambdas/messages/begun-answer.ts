import { asBlocks } from './as-blocks.ts';
import type { Message } from './types.ts';

/**
 * Returns whether a conversation ends with an answer that the model should continue. An answer with calls does not
 * count, because calls without results get placeholder results.
 */
export function endsWithBegunAnswer(messages: readonly Message[]): boolean {
  const last = messages.slice(messages.findLastIndex(({ role }) => role !== 'assistant') + 1);
  return last.length > 0 && !last.some(({ content }) => asBlocks(content).some(({ type }) => type === 'tool_use'));
}
