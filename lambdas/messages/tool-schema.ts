/**
 * Tools of a request: only those that the client runs itself, because what a provider runs has no bound and no price here.
 * They are listed as allowed, because providers add tools faster than gateways are deployed.
 */

import { z } from 'zod';
import { anyObject, cacheControl, optional } from './field-kinds.ts';

const clientRun = /^(custom|(bash|text_editor|computer|memory|computer_toolset|browser_toolset)_\d{8})$/;
const CLIENT_RUN = 'custom, bash_…, text_editor_…, computer_…, browser_toolset_… and memory_…';

export const tool = z
  .object({
    name: optional(z.string().min(1).max(128)),
    type: optional(z.string()),
    description: optional(z.string()),
    input_schema: optional(anyObject),
    strict: optional(z.boolean()),
    defer_loading: optional(z.boolean()),
    allowed_callers: z.unknown().optional(),
    cache_control: cacheControl,
  })
  .superRefine(({ name, type, allowed_callers: callers }, context) => {
    const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (type?.startsWith('web_search_')) {
      refuse(['type'], 'web search is not supported by this gateway; leave the tool out');
    } else if (type !== undefined && type !== null && !clientRun.test(type)) {
      refuse(
        ['type'],
        `must be one of ${CLIENT_RUN}: run another tool yourself and declare it as custom, or leave it out`,
      );
    } else if (!name && (!type || type === 'custom')) {
      // A typed tool may be named by its type.
      refuse(['name'], 'is required');
    }
    if (callers !== undefined && callers !== null && !isOnlyDirect(callers)) {
      refuse(['allowed_callers'], 'must be ["direct"]: code that a provider runs is not supported by this gateway');
    }
  });

/** A tool that a message declares. What a typed one adds to the prompt is only counted among the tools of the request. */
export const inlineTool = tool.superRefine(({ type }, context) => {
  if (type === undefined || type === null || type === 'custom') return;
  context.addIssue({ code: 'custom', path: ['type'], message: 'must be "custom" here; declare other tools in tools' });
});

function isOnlyDirect(callers: unknown): boolean {
  return Array.isArray(callers) && callers.every((caller) => caller === 'direct');
}
