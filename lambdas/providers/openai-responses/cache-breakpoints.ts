/**
 * Converts cache marks (`cache_control`) to OpenAI's cache breakpoints, which stand on parts of the input. Texts of the
 * assistant and tools can have none (https://developers.openai.com/api/docs/guides/prompt-caching).
 */

import type { Block } from '../../messages/types.ts';
import type { ResponsesItem } from './item.ts';
import type { ResponsesTarget } from './target.ts';

/** Returns whether the prompt up to this block should be cached, and the model accepts breakpoints. */
export function endsCache({ cache_control: mark }: Block, { quirks }: ResponsesTarget): boolean {
  return quirks.cache_breakpoints === true && Boolean(mark);
}

/** Returns the parts with a breakpoint on the last one, if the condition holds. */
export function withBreakpoint(parts: ResponsesItem[], condition: boolean): ResponsesItem[] {
  const last = parts.at(-1);
  return condition && last
    ? [...parts.slice(0, -1), { ...last, prompt_cache_breakpoint: { mode: 'explicit' } }]
    : parts;
}
