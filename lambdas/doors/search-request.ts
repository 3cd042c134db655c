/** The gateway's search, as clients of OpenAI's APIs and of the public convention declare it among their tools. */

import * as z from 'zod';
import { optionalField } from '../messages/field-kinds.ts';
import { domains, maxUses, placeFields, SEARCH_NAME } from '../messages/search-tool.ts';
import type { Tool } from '../messages/types.ts';
import { withoutNull } from './without-null.ts';

/** OpenAI's chat API puts the place into `approximate`; the others have it beside the type. */
export const searchLocation = optionalField(
  z.object({
    ...placeFields,
    type: optionalField(z.literal('approximate')),
    approximate: optionalField(z.object(placeFields)).meta({ description: 'The location of the user, roughly.' }),
  }),
);

const searchOptions = {
  allowed_domains: domains.meta({ description: 'Only pages of these domains are shown to the model.' }),
  excluded_domains: domains.meta({ description: 'Pages of these domains are not shown to the model.' }),
  max_uses: maxUses,
  user_location: searchLocation.meta({
    description: 'The approximate location of the user; results from near by come first.',
  }),
};

/** `web_search` of OpenAI, its dated names, and the name of the public convention. */
export const SEARCH_TOOL_TYPE = /^(openrouter:)?web_search(_preview)?(_\d{4}_\d{2}_\d{2})?$/;

export const searchDeclaration = z
  .looseObject({
    type: z.string().regex(SEARCH_TOOL_TYPE),
    ...searchOptions,
    filters: optionalField(z.object({ allowed_domains: searchOptions.allowed_domains })).meta({
      description: 'The same as `allowed_domains`, in the form of the Responses API.',
    }),
    parameters: optionalField(z.looseObject(searchOptions)).meta({
      description: 'The same settings, in the form of the public convention.',
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
  filters?: Pick<Settings, 'allowed_domains'> | null | undefined;
  parameters?: Settings | null | undefined;
};

/** The tool of the Messages API that says the same. */
export function gatewaySearchTool(declared: DeclaredSearch): Tool {
  const { filters, parameters, ...beside } = declared;
  const asked: Settings = { ...withoutNull(beside), ...withoutNull(parameters ?? {}) };
  const allowed = asked.allowed_domains ?? filters?.allowed_domains;
  const location = searchPlaceOf(asked.user_location);
  return withoutNull({
    type: 'web_search_20250305',
    name: SEARCH_NAME,
    max_uses: asked.max_uses,
    allowed_domains: allowed?.length ? allowed : undefined,
    blocked_domains: asked.excluded_domains?.length ? asked.excluded_domains : undefined,
    user_location: location,
  });
}

/** The user's place in the Messages API; undefined where none is told. */
export function searchPlaceOf(location: z.output<typeof searchLocation>) {
  if (!location) return undefined;
  const { approximate, type: _type, ...beside } = location;
  return { type: 'approximate' as const, ...withoutNull(beside), ...withoutNull(approximate ?? {}) };
}
