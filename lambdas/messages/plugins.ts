/** What a request asks the gateway to do to its prompt before a provider gets it. */

import * as z from 'zod';
import { optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import { domains, userLocation } from './search-tool.ts';

const MAX_PLUGINS = 8;
const MAX_PROMPT_CHARACTERS = 4_000;
/** More than a catalog lets any search find. */
const MAX_RESULTS = 20;

const ids = ['web', 'context-compression'] as const;

const web = z
  .strictObject({
    id: z.literal('web'),
    enabled: optionalField(z.boolean()),
    max_results: optionalField(z.int().positive().max(MAX_RESULTS)),
    /** Said before what was found, in place of the gateway's own words. */
    search_prompt: optionalField(z.string().min(1).max(MAX_PROMPT_CHARACTERS)),
    include_domains: domains,
    exclude_domains: domains,
    user_location: userLocation,
  })
  .superRefine(({ include_domains: included, exclude_domains: excluded }, context) => {
    if (!included?.length || !excluded?.length) return;
    context.addIssue({
      code: 'custom',
      path: ['exclude_domains'],
      message: 'cannot be used together with include_domains; leave one of them out',
    });
  });
export type WebPlugin = z.output<typeof web>;

const compression = z.strictObject({
  id: z.literal('context-compression'),
  enabled: optionalField(z.boolean()),
  engine: optionalField(z.literal('middle-out', 'must be "middle-out"')),
});

export const plugins = optionalField(
  boundedList(
    z.discriminatedUnion('id', [web, compression], {
      error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${ids.join(', ')}` : undefined),
    }),
    { max: MAX_PLUGINS },
  ),
);

/** The older spelling of context-compression. */
export const transforms = optionalField(
  boundedList(z.literal('middle-out', 'must be "middle-out": this gateway has no other transform'), { max: 1 }),
);

export interface PromptPlugins {
  plugins?: z.output<typeof plugins>;
  transforms?: z.output<typeof transforms>;
}

/** Whether messages may be left out of the prompt where it is too long for the model. */
export function allowsCompression({ plugins: asked, transforms: older }: PromptPlugins): boolean {
  return (
    (older?.length ?? 0) > 0 ||
    (asked ?? []).some(({ id, enabled }) => id === 'context-compression' && enabled !== false)
  );
}

/** How the web is to be searched before the model is asked; undefined where it is not. */
export function webPlugin({ plugins: asked }: PromptPlugins): WebPlugin | undefined {
  return (asked ?? []).find((plugin): plugin is WebPlugin => plugin.id === 'web' && plugin.enabled !== false);
}
