/**
 * Places of thinking in answers. A chat message has all thinking, all text and all calls of an answer in separate
 * fields, but Claude rejects signed thinking at another place than in its answer
 * (https://github.com/UKGovernmentBEIS/inspect_ai/pull/4922). The id of an entry of `reasoning_details` has the place.
 */

import { hasProviderSignature } from '../../messages/thinking-signatures.ts';
import type { Block } from '../../messages/types.ts';

export interface ThinkingPlace {
  /** Index among the thinking blocks of the answer. */
  index: number;
  /** Length of the answer's content before the thinking, in UTF-16 units. */
  start: number;
  /** Number of calls before the thinking. */
  calls: number;
}

const PLACE = /^after-(\d{1,9})-(\d{1,9})(?:-|$)/;

/**
 * Returns the members of an entry for its place. Thinking at the beginning of an answer needs no id.
 * @param mark end of the id, which makes it unique
 */
export function placeMembers({ index, start, calls }: ThinkingPlace, mark = ''): { index: number; id?: string } {
  return start + calls === 0 ? { index } : { index, id: `after-${start}-${calls}${mark}` };
}

/** Thinking block of an earlier answer, with the id of its entry. */
export interface EarlierThinking {
  block: Block;
  id: string | null | undefined;
}

/**
 * Returns the blocks of an earlier answer in their order. Thinking without a place, or without a signature of its
 * provider, goes before later texts and calls.
 */
export function inAnswerOrder(
  thinking: readonly EarlierThinking[],
  texts: readonly Block[],
  calls: readonly Block[],
): Block[] {
  const blocks: Block[] = [];
  const nextTexts = [...texts];
  let length = 0;
  let called = 0;
  for (const { block, id } of thinking) {
    const [, start, number] = (hasProviderSignature(block) && PLACE.exec(id ?? '')) || [];
    while (length < Number(start) && nextTexts.length > 0) {
      const [before, after] = splitText(nextTexts.shift()!, Number(start) - length);
      blocks.push(before);
      if (after) nextTexts.unshift(after);
      length += shownTextOf(before).length;
    }
    while (called < Number(number) && called < calls.length) {
      blocks.push(calls[called]!);
      called += 1;
    }
    blocks.push(block);
  }
  return [...blocks, ...nextTexts, ...calls.slice(called)];
}

/** Divides a text that is longer than the length. A cache mark stays at its end. */
function splitText(block: Block, length: number): [Block, Block?] {
  const text = shownTextOf(block);
  // A character of two UTF-16 units stays whole.
  const end = text.codePointAt(length - 1)! > 0xffff ? length + 1 : length;
  if (text.length <= end) return [block];
  return [
    { type: 'text', text: text.slice(0, end) },
    { ...block, text: text.slice(end) },
  ];
}

/** Returns the text of a text block; empty for other blocks. */
function shownTextOf({ text = '' }: Block): string {
  return text as string;
}
