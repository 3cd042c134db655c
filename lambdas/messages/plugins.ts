/** What a request asks the gateway to do to its prompt before a provider gets it. */

import { z } from 'zod';
import { optional } from './field-kinds.ts';
import { listOf } from './list-of.ts';

const MAX_PLUGINS = 8;

export const plugins = optional(
  listOf(
    z.strictObject({
      id: z.literal('context-compression', 'must be "context-compression": this gateway has no other plugin'),
      enabled: optional(z.boolean()),
      engine: optional(z.literal('middle-out', 'must be "middle-out"')),
    }),
    { max: MAX_PLUGINS },
  ),
);

/** The older spelling of the same. */
export const transforms = optional(
  listOf(z.literal('middle-out', 'must be "middle-out": this gateway has no other transform'), { max: 1 }),
);

export interface PromptPlugins {
  plugins?: z.output<typeof plugins>;
  transforms?: z.output<typeof transforms>;
}

/** Whether messages may be left out of the prompt where it is too long for the model. */
export function allowsCompression({ plugins: asked, transforms: older }: PromptPlugins): boolean {
  return (older?.length ?? 0) > 0 || (asked ?? []).some(({ enabled }) => enabled !== false);
}
