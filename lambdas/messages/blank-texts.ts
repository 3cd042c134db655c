/**
 * Handles texts that consist only of white space. Some providers reject them like empty texts, but models write them
 * before tool calls.
 */

import type { Block, Message } from './types.ts';

/** Placeholder text for a message without content. */
const BLANK_TEXT = '(empty)';

export function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}

/** Returns whether every message is blank. */
export function isBlankConversation(messages: readonly Message[]): boolean {
  return messages.every(({ content }) => (typeof content === 'string' ? isBlank(content) : content.every(isBlankText)));
}

/**
 * Removes blank texts from messages. A message with only blank texts or no content gets a placeholder, so that user and
 * assistant turns still alternate.
 */
export function withoutBlankTexts(messages: Message[]): Message[] {
  return messages.map((message) => {
    const { content } = message;
    if (typeof content === 'string') return isBlank(content) ? { ...message, content: BLANK_TEXT } : message;
    const nonBlank = withoutBlankBlocks(content);
    if (nonBlank === content && content.length > 0) return message;
    return { ...message, content: nonBlank.length > 0 ? nonBlank : [{ type: 'text', text: BLANK_TEXT }] };
  });
}

/**
 * Removes blank text blocks.
 * @returns the same list if no text in it is blank
 */
export function withoutBlankBlocks(blocks: Block[]): Block[] {
  const nonBlank = blocks.filter((block) => !isBlankText(block)).map(withoutBlankInside);
  return nonBlank.length === blocks.length && nonBlank.every((block, index) => block === blocks[index])
    ? blocks
    : nonBlank;
}

/** Removes blank texts from a tool result. A result may be empty, but must not be a list with only a blank text. */
function withoutBlankInside(block: Block): Block {
  const { content } = block;
  if (block.type !== 'tool_result' || !Array.isArray(content)) return block;
  const nonBlank = (content as Block[]).filter((inner) => !isBlankText(inner));
  return nonBlank.length === content.length ? block : { ...block, content: nonBlank.length > 0 ? nonBlank : '' };
}

function isBlankText({ type, text }: Block): boolean {
  return type === 'text' && isBlank(text);
}
