import { append } from '../../platform/append.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import { unsupportedBlock } from './supported-fields.ts';

/** Text that replaces an empty tool result, because some providers reject empty content. */
export const EMPTY_RESULT = '(no output)';

/**
 * Text of a user message that is added for providers that reject a conversation without a user message, or a
 * conversation that begins with the assistant.
 */
export const BEGINNING_TEXT = '(the conversation goes on)';

/** Text of the assistant that separates tool results from the user's text, for providers that reject both together. */
export const HAS_RESULTS = 'I have the results.';

/** A content block, with its path in the Messages request for error messages. */
export interface Placed {
  block: Block;
  path: string;
}

/**
 * Consecutive messages of the user or of the assistant, or one system message. Each message is a list of its blocks.
 */
export interface Turn {
  role: Message['role'];
  messages: Placed[][];
  hasToolCalls: boolean;
}

/**
 * Converts the conversation to turns: adjacent messages of the user, or of the assistant, become one turn. System
 * messages between a tool call and its results move after the results.
 */
export function toTurns(messages: Message[]): Turn[] {
  const turns: Turn[] = [];
  let heldBack: Turn[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = placeBlocks(content, `messages.${index}.content`);
    const previous = turns.at(-1);
    if (role === 'system') {
      const stands = heldBack.length === 0 && !previous?.hasToolCalls;
      (stands ? turns : heldBack).push(newTurn(role, blocks));
      continue;
    }
    // All results of the assistant's calls have been read. The held-back instructions follow these results.
    if (role === 'assistant' && heldBack.length > 0) {
      append(turns, heldBack);
      turns.push(newTurn(role, blocks));
      heldBack = [];
    } else if (previous?.role === role) {
      previous.messages.push(blocks);
      previous.hasToolCalls ||= hasToolCalls(blocks);
    } else {
      turns.push(newTurn(role, blocks));
    }
  }
  return [...turns, ...heldBack];
}

function newTurn(role: Message['role'], blocks: Placed[]): Turn {
  return { role, messages: [blocks], hasToolCalls: role === 'assistant' && hasToolCalls(blocks) };
}

function hasToolCalls(blocks: Placed[]): boolean {
  return blocks.some(({ block }) => block.type === 'tool_use');
}

/** Returns a message's content as blocks. */
export function placeBlocks(content: string | Block[], path: string): Placed[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, path }];
  return content.map((block, index) => ({ block, path: `${path}.${index}` }));
}

/** Empty line between two texts. */
export const APART = '\n\n';

/** Joins texts with empty lines between them. Blank texts are skipped. */
export function apart(texts: string[]): string {
  return texts.filter((text) => !isBlank(text)).join(APART);
}

/** Returns the text of the system prompt; empty if there is none. */
export function systemText(request: MessagesRequest): string {
  return systemBlocks(request).map(blockText).join(APART);
}

/** Returns the texts of the system prompt, without blank ones. */
export function systemBlocks({ system = '' }: MessagesRequest): Placed[] {
  return withoutBlanks(placeBlocks(system, 'system'));
}

export function withoutBlanks(texts: Placed[]): Placed[] {
  return texts.filter((placed) => !isBlank(blockText(placed)));
}

export function turnText(blocks: Placed[]): string {
  return blocks.map(blockText).join('\n');
}

/**
 * Returns the text of a text block.
 * @throws {GatewayError} 400 for a block of another type
 */
export function blockText({ block, path }: Placed): string {
  if (block.type !== 'text') throw unsupportedBlock(block, path);
  return block['text'] as string;
}
