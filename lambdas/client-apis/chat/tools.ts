/** Tools of a chat request, and what says the same in the Messages API. */

import * as z from 'zod';
import { anyObject, cacheControl, optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy, refuse } from '../../messages/list-of.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import { REPEATED_TOOL_NAME, repeatedName } from '../../messages/tool-names.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { SEARCH_TOOL_TYPE, gatewaySearchTool, searchDeclaration } from '../search-request.ts';

const MAX_TOOLS = 1_024;
const TYPES = 'must be "function", or "web_search" for the search of the gateway: it runs no other tool';

const functionDeclaration = z.object({
  type: z.literal('function', TYPES),
  function: z
    .object({
      name: z
        .string()
        .min(1)
        .max(128)
        .meta({ description: 'The name of the function; the model calls it by this name.' }),
      description: optionalField(z.string()).meta({
        description: 'What the function does and when to call it; the model decides by this text.',
      }),
      parameters: optionalField(anyObject).meta({ description: 'The JSON schema of the function’s arguments.' }),
      strict: optionalField(z.boolean()).meta({
        description: 'With true the arguments always fit the schema, on models that support this.',
      }),
    })
    .meta({ description: 'A function of yours that the model may call.' }),
  cache_control: cacheControl.meta({ description: 'Asks the provider to cache the prompt up to this tool.' }),
});
type FunctionDeclaration = z.output<typeof functionDeclaration>;
type Declaration = FunctionDeclaration | z.output<typeof searchDeclaration>;

function isSearch(value: unknown): value is z.output<typeof searchDeclaration> {
  const { type } = (value ?? {}) as { type?: unknown };
  return typeof type === 'string' && SEARCH_TOOL_TYPE.test(type);
}

const declaration = checkedBy<Declaration>(
  (value) => (isSearch(value) ? searchDeclaration : functionDeclaration),
  [functionDeclaration, searchDeclaration],
);

export const chatTools = optionalField(
  boundedList(declaration, { max: MAX_TOOLS }).superRefine((tools, context) => {
    const repeated = repeatedName(tools.map((tool) => (isSearch(tool) ? SEARCH_NAME : tool.function.name)));
    if (repeated === undefined) return;
    const path = isSearch(tools[repeated]) ? ['type'] : ['function', 'name'];
    refuse(context, { path: [repeated, ...path], message: REPEATED_TOOL_NAME });
  }),
);

const CHOICES = 'must be "auto", "none", "required" or {"type": "function", "function": {"name": …}}';
export const chatToolChoice = optionalField(
  z.union(
    [
      z.enum(['auto', 'none', 'required']),
      z.strictObject({
        type: z.literal('function'),
        function: z
          .strictObject({ name: z.string().min(1).meta({ description: 'The name of the function to call.' }) })
          .meta({ description: 'The function that the model has to call.' }),
      }),
    ],
    CHOICES,
  ),
);

/** The same tools in the Messages API. */
export function declaredChatTools(declared: readonly Declaration[]): Tool[] {
  return declared.map((tool) => (isSearch(tool) ? gatewaySearchTool(tool) : functionTool(tool)));
}

function functionTool({ function: declared, cache_control: cache }: FunctionDeclaration): Tool {
  const { name, description, parameters, strict } = declared;
  return {
    name,
    ...(description ? { description } : {}),
    input_schema: parameters ?? { type: 'object', properties: {} },
    ...(strict ? { strict } : {}),
    ...(cache ? { cache_control: cache } : {}),
  };
}

/** The same choice in the Messages API. */
export function chosenChatTool(choice: z.output<typeof chatToolChoice>): MessagesRequest['tool_choice'] {
  switch (choice) {
    case null:
    case undefined:
      return undefined;
    case 'required':
      return { type: 'any' };
    case 'auto':
    case 'none':
      return { type: choice };
    default:
      return { type: 'tool', name: choice.function.name };
  }
}
