import type { Block, Message } from '../../messages/types.ts';

/**
 * The conversation in the order that chat completions demand: neighbours of one role are one turn, as in the Messages
 * API, and nothing stands between a tool call and its results. A system message that does is moved behind them.
 */
export function toTurns(messages: Message[]): Message[] {
  const turns: Message[] = [];
  let heldBack: Message[] = [];
  for (const message of messages) {
    const previous = turns.at(-1);
    if (message.role === 'system' && previous && hasToolCalls(previous)) {
      heldBack.push(message);
      continue;
    }
    if (previous?.role === message.role && message.role !== 'system') {
      turns[turns.length - 1] = { ...previous, content: [...blocksOf(previous), ...blocksOf(message)] };
    } else {
      turns.push(message);
    }
    if (message.role === 'user') {
      turns.push(...heldBack);
      heldBack = [];
    }
  }
  return [...turns, ...heldBack];
}

function blocksOf({ content }: Message): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function hasToolCalls({ role, content }: Message): boolean {
  return role === 'assistant' && typeof content !== 'string' && content.some(({ type }) => type === 'tool_use');
}
