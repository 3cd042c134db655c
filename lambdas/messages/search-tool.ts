import * as z from 'zod';
import { domainFault } from './domain-rule.ts';
import { cacheControl, optionalField } from './field-kinds.ts';
import { boundedList } from './list-of.ts';
import type { MessagesRequest, Tool } from './types.ts';

/**
 * Versions of Anthropic's search tool. The gateway treats all of them as the oldest version, because the features of
 * the newer versions need code that a provider runs.
 */
const types = ['web_search_20250305', 'web_search_20260209', 'web_search_20260318'] as const;
export const SEARCH_NAME = 'web_search';
/** Caller of a search that the model requested itself. The SDKs of Anthropic require it in calls and results. */
export const DIRECT_CALLER = { type: 'direct' };

const MAX_TOOL_DOMAINS = 64;
const MAX_PLACE_CHARACTERS = 255;
/** Maximum accepted value of `max_uses`. The gateway makes fewer searches for an answer in any case. */
const MAX_USES = 1_000;
export const maxUses = optionalField(z.int().positive().max(MAX_USES)).meta({
  description: 'The most searches that the model may make for this answer; never more than 20 are made.',
});
const MAX_SEARCH_RESULTS = 20;
export const maxResults = optionalField(z.int().positive().max(MAX_SEARCH_RESULTS)).meta({
  description: 'The most pages that the model gets from a search.',
});

const domain = z.string().superRefine((text, context) => {
  const fault = domainFault(text);
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});
export const domains = optionalField(boundedList(domain, { max: MAX_TOOL_DOMAINS }));

const place = optionalField(z.string().max(MAX_PLACE_CHARACTERS));
export const placeFields = {
  city: place.meta({ description: 'The city of the user’s location, as free text.' }),
  region: place.meta({ description: 'The region or state of the user’s location, as free text.' }),
  country: optionalField(
    z.string().regex(/^[A-Za-z]{2}$/, 'must be a country code of two letters (ISO 3166-1), for example "RU"'),
  ).meta({ description: 'The country of the user’s location, as a code of two letters.' }),
  timezone: optionalField(z.string().max(MAX_PLACE_CHARACTERS).refine(isTimezone, 'must be an IANA time zone')).meta({
    description: 'The time zone of the user’s location, such as `Europe/Moscow`.',
  }),
};
export const userLocation = optionalField(z.strictObject({ type: z.literal('approximate'), ...placeFields }));

export const searchTool = z
  .strictObject({
    type: z.enum(types, `must be one of ${types.join(', ')}`).meta({
      description: 'Absent or `custom` for a function of your own; otherwise a kind of tool that Anthropic defines.',
    }),
    name: z
      .literal(SEARCH_NAME, `must be "${SEARCH_NAME}"`)
      .meta({ description: 'The name of the function; the model calls it by this name.' }),
    max_uses: maxUses,
    max_results: maxResults,
    allowed_domains: domains.meta({ description: 'Only pages of these domains are shown to the model.' }),
    blocked_domains: domains.meta({ description: 'Pages of these domains are not shown to the model.' }),
    user_location: userLocation.meta({
      description: 'The approximate location of the user; results from near by come first.',
    }),
    cache_control: cacheControl.meta({
      description:
        'Requests that the provider cache everything up to and including this tool, so that the next request with the same beginning costs less.',
    }),
    strict: optionalField(z.boolean()).meta({
      description: 'With true the arguments always fit the schema, on models that support this.',
    }),
    defer_loading: optionalField(z.literal(false, 'must be false, because the tool is always loaded')).meta({
      description:
        'With true the model does not read this tool until a result of your own search among tools refers to it with a `tool_reference` block.',
    }),
    allowed_callers: optionalField(
      boundedList(
        z.literal(
          'direct',
          'must be "direct", because this gateway does not support calls from code that a provider runs',
        ),
        {
          max: 1,
        },
      ),
    ).meta({ description: 'Who may call the tool, as a list; only `direct`, the model itself, is supported.' }),
    response_inclusion: optionalField(
      z.literal('full', 'must be "full", because results are always part of the answer'),
    ).meta({
      description: 'Only `full` is supported: results are part of the answer.',
    }),
  })
  .superRefine(({ allowed_domains: allowed, blocked_domains: blocked }, context) => {
    if (!allowed?.length || !blocked?.length) return;
    context.addIssue({
      code: 'custom',
      path: ['blocked_domains'],
      message: 'cannot be used together with allowed_domains; leave one of them out',
    });
  });
export type SearchTool = z.output<typeof searchTool>;

export function isSearchType(type: unknown): boolean {
  return typeof type === 'string' && type.startsWith('web_search_');
}

/** Whether the request may continue without this search if no search backend is available. */
export function isOptionalSearch({ type, if_possible: isOptional }: Tool): boolean {
  return isOptional === true && isSearchType(type);
}

/** Returns the declared search tool and its index in `tools`. */
export function declaredSearch({ tools = [] }: MessagesRequest): { tool: SearchTool; index: number } | undefined {
  const index = tools.findIndex(({ type }) => isSearchType(type));
  return index === -1 ? undefined : { tool: tools[index] as unknown as SearchTool, index };
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
