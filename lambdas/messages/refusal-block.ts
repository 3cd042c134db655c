/**
 * Marks refusal texts of a model, if its provider reports them separately from an answer. The Messages API has no field
 * for a refusal, so the text block has an extra member. It is set when the block starts, because clients of OpenAI's
 * APIs must know from the first word that the text is a refusal.
 */

import type { Block } from './types.ts';
import { without } from './without.ts';

const MARK = 'refusal';

export function refusalBlock(): Block {
  return { type: 'text', text: '', [MARK]: true };
}

export function isRefusal(block: Block): boolean {
  return block.type === 'text' && block[MARK] === true;
}

/**
 * Removes the refusal mark, so that the block has the form of the Messages API. Clients send blocks back, and providers
 * refuse unknown members.
 */
export function withoutMark(block: Block): Block {
  return isRefusal(block) ? without(block, MARK) : block;
}
