/** Declarations of the gateway's web search, as clients of OpenAI and OpenRouter write them among their tools. */

import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import { boundedList } from '../messages/list-of.ts';
import { domains, maxResults, maxUses, placeFields, SEARCH_NAME } from '../messages/search-tool.ts';
import type { Tool } from '../messages/types.ts';
import { withoutNull } from './without-null.ts';

const MAX_CONTENT_TYPES = 8;

/**
 * User's location. OpenAI's Chat Completions API nests its fields in `approximate`; other APIs have them next to
 * `type`.
 */
export const searchLocation = optionalField(
  z.strictObject({
    ...placeFields,
    type: optionalField(z.literal('approximate')).meta({
      description: 'The kind of location, which is always `approximate`.',
    }),
    approximate: optionalField(z.strictObject(placeFields)).meta({
      description: 'The approximate location of the user inside of an object, as OpenAI’s chat completions API has it.',
    }),
  }),
);

/** Number of pages by search size. OpenAI publishes no numbers, so the gateway defines its own. */
const resultsBySize = { low: 3, medium: 5, high: 10 } as const;
export const searchContextSize = optionalField(z.enum(['low', 'medium', 'high'])).meta({
  description: 'How many pages the model gets: 3 with `low`, 5 with `medium`, 10 with `high`.',
});

/** Returns the maximum number of pages for a search size; undefined without a size. */
export function resultsOfSize(size: z.output<typeof searchContextSize>): number | undefined {
  return size ? resultsBySize[size] : undefined;
}

const searchOptions = {
  allowed_domains: domains.meta({ description: 'Only pages of these domains are shown to the model.' }),
  excluded_domains: domains.meta({ description: 'Pages of these domains are not shown to the model.' }),
  max_uses: maxUses,
  max_results: maxResults,
  search_context_size: searchContextSize,
  user_location: searchLocation.meta({
    description: 'The approximate location of the user; results from near by come first.',
  }),
};

/** Matches the type of a search tool: OpenAI's `web_search`, its dated names, and OpenRouter's name. */
export const SEARCH_TOOL_TYPE = /^(openrouter:)?web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;

export const searchDeclaration = z
  .strictObject({
    type: z.string().regex(SEARCH_TOOL_TYPE).meta({
      description: 'The search of the web: `web_search`, or another name that OpenAI or OpenRouter has for it.',
    }),
    ...searchOptions,
    filters: optionalField(
      z.strictObject({
        allowed_domains: searchOptions.allowed_domains,
        blocked_domains: searchOptions.excluded_domains,
      }),
    ).meta({
      description: 'The same as `allowed_domains` and `excluded_domains`, in the form of the Responses API.',
    }),
    search_content_types: optionalField(boundedList(z.enum(['text', 'image']), { max: MAX_CONTENT_TYPES })).meta({
      description: 'Accepted, and without an effect: searches find texts.',
    }),
    external_web_access: optionalField(
      z.literal(true, 'must be true, because this gateway stores no pages to search'),
    ).meta({
      description:
        'Only true is accepted, because the search of the gateway always reads the web; `POST /responses` leaves a tool with false out instead.',
    }),
    // Codex sends this field (https://github.com/lidge-jun/opencodex/issues/3362).
    indexed_web_access: optionalField(z.boolean()).meta({
      description: 'Accepted, and without an effect: searches find only pages that a search engine has indexed.',
    }),
    parameters: optionalField(z.strictObject(searchOptions)).meta({
      description:
        'The same settings inside of an object, as OpenRouter’s API has them: `max_uses`, `allowed_domains`, `excluded_domains` and `user_location`. They take precedence over the settings next to it.',
    }),
  })
  .superRefine((declared, context) => {
    const { allowed_domains: allowed, blocked_domains: blocked } = gatewaySearchTool(declared);
    if (allowed === undefined || blocked === undefined) return;
    const message = 'cannot be used together with allowed_domains; leave one of them out';
    context.addIssue({ code: 'custom', path: ['excluded_domains'], message });
  });

type Settings = z.output<z.ZodObject<typeof searchOptions>>;
type DeclaredSearch = Settings & {
  filters?:
    | { allowed_domains?: Settings['allowed_domains']; blocked_domains?: Settings['excluded_domains'] }
    | null
    | undefined;
  parameters?: Settings | null | undefined;
};

/** Returns the equivalent tool of the Messages API. */
export function gatewaySearchTool(declared: DeclaredSearch): Tool {
  const { filters, parameters, ...beside } = declared;
  const requested: Settings = { ...withoutNull(beside), ...withoutNull(parameters ?? {}) };
  const allowed = requested.allowed_domains ?? filters?.allowed_domains;
  const blocked = requested.excluded_domains ?? filters?.blocked_domains;
  const location = searchPlaceOf(requested.user_location);
  return withoutNull({
    type: 'web_search_20250305',
    name: SEARCH_NAME,
    max_uses: requested.max_uses,
    max_results: requested.max_results ?? resultsOfSize(requested.search_context_size),
    allowed_domains: allowed?.length ? allowed : undefined,
    blocked_domains: blocked?.length ? blocked : undefined,
    user_location: location,
  });
}

/** Returns the user's location in the form of the Messages API; undefined if the client sent none. */
export function searchPlaceOf(location: z.output<typeof searchLocation>) {
  if (!location) return undefined;
  const { approximate, type: _type, ...beside } = location;
  return { type: 'approximate' as const, ...withoutNull(beside), ...withoutNull(approximate ?? {}) };
}
