import type { Block, Message } from '../../messages/types.ts';

/**
 * The conversation in the order that chat completions demand: neighbours of one role are one turn, as in the Messages
 * API, and nothing stands between a tool call and its results. A system message that does is moved behind them.
 */
export function toTurns(messages: Message[]): Message[] {
  const turns: Message[] = [];
  let heldBack: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (message.role === 'system' && last && (heldBack.length > 0 || hasToolCalls(last))) {
      heldBack.push(message);
      continue;
    }
    // The assistant speaks again: all results of its calls are in.
    if (message.role === 'assistant' && heldBack.length > 0) {
      turns.push(...heldBack);
      heldBack = [];
    }
    const previous = turns.at(-1);
    if (previous?.role === message.role && message.role !== 'system') {
      turns[turns.length - 1] = { ...previous, content: [...blocksOf(previous), ...blocksOf(message)] };
    } else {
      turns.push(message);
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
