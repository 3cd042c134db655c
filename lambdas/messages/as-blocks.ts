import type { Block, Message } from './types.ts';

/** Returns the content of a message as blocks. */
export function asBlocks(content: Message['content']): Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}
