import * as z from 'zod';
import { optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import { domains, maxResults, userLocation } from './search-tool.ts';

const MAX_PLUGINS = 8;
const MAX_SEARCH_PROMPT_CHARACTERS = 4_000;

const ids = ['web', 'context-compression'] as const;

export const searchPrompt = optionalField(z.string().min(1).max(MAX_SEARCH_PROMPT_CHARACTERS)).meta({
  description: 'The text that introduces the search results to the model.',
});

const web = z
  .strictObject({
    id: z.literal('web'),
    enabled: optionalField(z.boolean()).meta({
      description: 'With false the plugin does nothing; it is on by default.',
    }),
    max_results: maxResults,
    search_prompt: searchPrompt,
    include_domains: domains.meta({ description: 'Only pages of these domains are shown to the model.' }),
    exclude_domains: domains.meta({ description: 'Pages of these domains are not shown to the model.' }),
    user_location: userLocation.meta({
      description: 'The approximate location of the user; results from near by come first.',
    }),
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
  enabled: optionalField(z.boolean()).meta({ description: 'With false the plugin does nothing; it is on by default.' }),
  engine: optionalField(z.literal('middle-out', 'must be "middle-out"')).meta({
    description:
      'The way in which a conversation that is too long is shortened: `middle-out` leaves out messages in its middle.',
  }),
});

export const plugins = optionalField(
  boundedList(
    z.discriminatedUnion('id', [web, compression], {
      error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${ids.join(', ')}` : undefined),
    }),
    { max: MAX_PLUGINS },
  ),
);

/** Older form of the plugin `context-compression`. */
export const transforms = optionalField(
  boundedList(z.literal('middle-out', 'must be "middle-out", the only transform of this gateway'), { max: 1 }),
);

export interface PromptPlugins {
  plugins?: z.output<typeof plugins>;
  transforms?: z.output<typeof transforms>;
}

/** Whether the gateway may omit messages if the prompt is too long. */
export function allowsCompression({ plugins: requested, transforms: older }: PromptPlugins): boolean {
  return (
    (older?.length ?? 0) > 0 ||
    (requested ?? []).some(({ id, enabled }) => id === 'context-compression' && enabled !== false)
  );
}

/** Returns the plugin that searches the web before the model's first answer; undefined if it is absent or disabled. */
export function webPlugin({ plugins: requested }: PromptPlugins): WebPlugin | undefined {
  return (requested ?? []).find((plugin): plugin is WebPlugin => plugin.id === 'web' && plugin.enabled !== false);
}
