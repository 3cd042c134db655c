import { asBlocks } from '../../messages/as-blocks.ts';
import type { Block, Message } from '../../messages/types.ts';

/**
 * Moves the tool calls of each assistant turn to its end: Claude rejects other content after a call
 * (https://github.com/vercel/ai/issues/13013), but other models also write after a call. Adjacent assistant messages are
 * one turn.
 */
export function withCallsLast(messages: Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const isAssistant = message.role === 'assistant';
    const earlier = isAssistant && last?.role === 'assistant' ? asBlocks(last.content) : [];
    const blocks = [...earlier, ...asBlocks(message.content)];
    if (!isAssistant || !blocks.some(isCall)) {
      turns.push(message);
      continue;
    }
    if (earlier.length > 0) turns.pop();
    turns.push({ ...message, content: [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)] });
  }
  return turns;
}

const isCall = ({ type }: Block): boolean => type === 'tool_use';
