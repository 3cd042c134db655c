/**
 * Marks text in which a model refuses to answer, if its provider reports refusals separately. The Messages API has no
 * field for refusals, so the text block gets an extra member when it starts: OpenAI's APIs mark a refusal from its
 * first word on.
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

/** Removes the refusal mark, because clients send blocks back, and providers may reject unknown members. */
export function withoutMark(block: Block): Block {
  return isRefusal(block) ? without(block, MARK) : block;
}
