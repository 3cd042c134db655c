import { append } from '../../platform/append.ts';
import { isBlank } from '../../messages/blank-texts.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import { unsupportedBlock } from './supported-fields.ts';

/** Text that replaces an empty tool result, because some providers reject empty content. */
export const EMPTY_RESULT = '(no output)';

/**
 * Text of an added user message, for providers that reject a conversation without one, or one that begins with an
 * assistant message. Such conversations occur, for example, if a client cuts off the first messages.
 */
export const BEGINNING_TEXT = '(the conversation goes on)';

/** Text of the assistant that separates tool results from the user's text, for providers that reject both together. */
export const HAS_RESULTS = 'I have the results.';

/** A content block, with its path in the client's request for error messages. */
export interface Placed {
  block: Block;
  path: string;
}

/** Consecutive messages of one role. Each message is a list of its blocks. */
export interface Turn {
  role: Message['role'];
  messages: Placed[][];
  hasToolCalls: boolean;
}

/**
 * Converts the conversation to the order that wires other than the Messages API require. Adjacent user messages, and
 * adjacent assistant messages, become one turn. System messages between a tool call and its results move after the
 * results.
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
    // The assistant continues, so all results of its calls have been read. The held-back instructions follow these
    // results.
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

/** Returns a message's content as blocks. Plain text becomes one block. */
export function placeBlocks(content: string | Block[], path: string): Placed[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, path }];
  return content.map((block, index) => ({ block, path: `${path}.${index}` }));
}

/** Joins texts with empty lines between them. Blank texts are skipped. */
export function apart(texts: string[]): string {
  return texts.filter((text) => !isBlank(text)).join('\n\n');
}

/** Returns the text of the system prompt; empty if there is none. */
export function systemText({ system = '' }: MessagesRequest): string {
  return typeof system === 'string' ? system : apart(placeBlocks(system, 'system').map(blockText));
}

export function turnText(blocks: Placed[]): string {
  return blocks.map(blockText).join('\n');
}

/** @throws {GatewayError} 400 for a block of another type */
export function blockText({ block, path }: Placed): string {
  if (block.type !== 'text') throw unsupportedBlock(block, path);
  return block['text'] as string;
}
