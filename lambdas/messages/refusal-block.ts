/**
 * Words with which a model refuses, where its provider tells them apart from an answer. The Messages API has no place for that: a block of
 * text carries the mark, which other APIs need before the first word is written.
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

/** The block as the Messages API has it: its clients send blocks back, and providers refuse members that they do not know. */
export function withoutMark(block: Block): Block {
  return isRefusal(block) ? without(block, MARK) : block;
}
