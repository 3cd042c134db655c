/** Marks the block of a text in which a model refuses to answer, if its provider reports refusals separately. */

import type { Block } from './types.ts';
import { without } from './without.ts';

const MARK = 'refusal';

export function refusalBlock(): Block {
  return { type: 'text', text: '', [MARK]: true };
}

export function isRefusal(block: Block): boolean {
  return block.type === 'text' && block[MARK] === true;
}

/** Removes the mark from a block that a client sends back, because providers may reject unknown members. */
export function withoutMark(block: Block): Block {
  return isRefusal(block) ? without(block, MARK) : block;
}
