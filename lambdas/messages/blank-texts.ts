/** Some providers reject texts that consist only of white space, but models write them before tool calls. */

import type { Block, Message } from './types.ts';

const BLANK_TEXT = '(empty)';

export function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/** Returns whether no message has content other than blank texts. */
export function isBlankConversation(messages: readonly Message[]): boolean {
  return messages.every(({ content }) => (typeof content === 'string' ? isBlank(content) : content.every(isBlankText)));
}

/**
 * Removes blank texts. A message without other content gets a placeholder, so that turns still alternate. Blank answers
 * at the end stay, because the model would continue the placeholder.
 */
export function withoutBlankTexts(messages: Message[]): Message[] {
  const end = messages.findLastIndex((message) => message.role !== 'assistant' || !isBlankConversation([message]));
  return messages.map((message, index) => {
    const { content } = message;
    if (end !== -1 && index > end) return message;
    if (typeof content === 'string') return isBlank(content) ? { ...message, content: BLANK_TEXT } : message;
    const nonBlank = withoutBlankBlocks(content);
    if (nonBlank === content && content.length > 0) return message;
    return { ...message, content: nonBlank.length > 0 ? nonBlank : [{ type: 'text', text: BLANK_TEXT }] };
  });
}

/**
 * Removes blank texts from a list of blocks and from the tool results in it.
 * @returns the same list if no text in it is blank
 */
export function withoutBlankBlocks(blocks: Block[]): Block[] {
  const nonBlank = blocks.filter((block) => !isBlankText(block)).map(withoutBlankInside);
  return nonBlank.length === blocks.length && nonBlank.every((block, index) => block === blocks[index])
    ? blocks
    : nonBlank;
}

/** Removes blank texts from a tool result. The result may be empty, but must not be a list with only a blank text. */
function withoutBlankInside(block: Block): Block {
  const { content } = block;
  if (block.type !== 'tool_result' || !Array.isArray(content)) return block;
  const nonBlank = (content as Block[]).filter((inner) => !isBlankText(inner));
  return nonBlank.length === content.length ? block : { ...block, content: nonBlank.length > 0 ? nonBlank : '' };
}

export function isBlankText({ type, text }: Block): boolean {
  return type === 'text' && isBlank(text);
}
