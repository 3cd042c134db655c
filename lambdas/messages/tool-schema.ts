/**
 * Tools that a provider runs are refused, because the gateway knows neither their price nor their maximum cost. The
 * schema lists the allowed types, because providers add types faster than gateways are deployed.
 */

import * as z from 'zod';
import { anyObject, cacheControl, optionalField } from './field-kinds.ts';
import { documentationOf, firstFault, refuse } from './list-of.ts';
import { isSearchType, searchTool } from './search-tool.ts';
import type { Tool } from './types.ts';

const clientRun = /^(custom|(bash|text_editor|computer|memory|computer_toolset|browser_toolset)_\d{8})$/;
const CLIENT_RUN = 'custom, bash_…, text_editor_…, computer_…, browser_toolset_…, memory_… and web_search_…';

const clientTool = z
  .object({
    name: optionalField(z.string().min(1).max(128)).meta({
      description: 'The name of the function; the model calls it by this name.',
    }),
    type: optionalField(z.string()).meta({
      description: 'Absent or `custom` for a function of your own; otherwise a kind of tool that Anthropic defines.',
    }),
    description: optionalField(z.string()).meta({
      description: 'The purpose of the function and when to call it; the model decides by this text.',
    }),
    input_schema: optionalField(anyObject).meta({ description: 'The JSON schema of the function’s arguments.' }),
    strict: optionalField(z.boolean()).meta({
      description: 'With true the arguments always fit the schema, on models that support this.',
    }),
    defer_loading: optionalField(z.boolean()).meta({
      description:
        'With true the model does not read this tool until a result of your own search among tools refers to it with a `tool_reference` block.',
    }),
    allowed_callers: z
      .unknown()
      .optional()
      .meta({ description: 'Who may call the tool, as a list; only `direct`, the model itself, is supported.' }),
    cache_control: cacheControl.meta({
      description:
        'Requests that the provider cache everything up to and including this tool, so that the next request with the same beginning costs less.',
    }),
  })
  .superRefine(({ name, type, allowed_callers: callers }, context) => {
    const objectTo = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (type === 'function') {
      objectTo(
        ['type'],
        'belongs to the tools of another API; in this API a tool is {"name": …, "description": …, "input_schema": …}',
      );
    } else if (type !== undefined && type !== null && !clientRun.test(type)) {
      objectTo(
        ['type'],
        `must be one of ${CLIENT_RUN}: run another tool yourself and declare it as custom, or leave it out`,
      );
    } else if (!name && (!type || type === 'custom')) {
      // Only a custom tool always needs a name. The type of another tool may serve as its name.
      objectTo(['name'], 'is required');
    }
    if (callers !== undefined && callers !== null && !isOnlyDirect(callers)) {
      objectTo(
        ['allowed_callers'],
        'must be ["direct"], because this gateway does not support calls from code that a provider runs',
      );
    }
  });

export const tool = z
  .unknown()
  .superRefine((value, context) => {
    const fault = firstFault(isSearch(value) ? searchTool : clientTool, value);
    if (fault) refuse(context, fault);
  })
  .meta({
    override: ({ jsonSchema }) => {
      Object.assign(jsonSchema, { anyOf: [documentationOf(clientTool), documentationOf(searchTool)] });
    },
  }) as unknown as z.ZodType<Tool>;

function isSearch(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isSearchType((value as { type?: unknown }).type);
}

/**
 * A tool that a block in the conversation declares. It must be a custom tool: other types add tokens to the prompt, and
 * the gateway counts those tokens only for the request's field `tools`.
 */
export const inlineTool = clientTool.superRefine(({ type }, context) => {
  if (type === undefined || type === null || type === 'custom') return;
  context.addIssue({ code: 'custom', path: ['type'], message: 'must be "custom" here; declare other tools in tools' });
});

function isOnlyDirect(callers: unknown): boolean {
  return Array.isArray(callers) && callers.every((caller) => caller === 'direct');
}
