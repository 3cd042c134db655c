/**
 * Fields that mark a part as the end of a cached prompt, in the form of Anthropic and OpenRouter, and in the form of
 * OpenAI.
 */

import * as z from 'zod';
import { cacheControl, optionalField } from '../messages/field-kinds.ts';
import type { Block } from '../messages/types.ts';

export const cacheMarks = {
  cache_control: cacheControl.meta({
    description:
      'Requests that the provider cache the prompt up to this part, so that the next request with the same beginning costs less.',
  }),
  prompt_cache_breakpoint: optionalField(
    z.looseObject({
      mode: optionalField(z.literal('explicit')).meta({ description: 'The kind of mark, which is always `explicit`.' }),
    }),
  ).meta({ description: 'The same as `cache_control`, under the name of OpenAI’s API; its lifetime has no effect.' }),
};

export interface Marks {
  cache_control?: z.output<typeof cacheControl>;
  prompt_cache_breakpoint?: object | null | undefined;
}

/** Returns the block with the cache mark of the message part from which the block was made. */
export function marked(block: Block, { cache_control: control, prompt_cache_breakpoint: breakpoint }: Marks): Block {
  if (control) return { ...block, cache_control: control };
  return breakpoint ? { ...block, cache_control: { type: 'ephemeral' } } : block;
}

/** Returns the blocks of a message. A cache mark on the message applies to its last block. */
export function withMarkedLast(blocks: Block[], message: Marks): Block[] {
  const last = blocks.at(-1);
  return last && hasMark(message) ? [...blocks.slice(0, -1), marked(last, message)] : blocks;
}

export function hasMark({ cache_control: control, prompt_cache_breakpoint: breakpoint }: Marks): boolean {
  return Boolean(control ?? breakpoint);
}
