/**
 * Refusal texts of a model, if its provider distinguishes them from an answer. The Messages API has no field for that,
 * so a text block carries a mark. Other APIs need the mark before the first word is sent.
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

/** The block in the form of the Messages API. Its clients send blocks back, and providers refuse unknown members. */
export function withoutMark(block: Block): Block {
  return isRefusal(block) ? without(block, MARK) : block;
}
