/** Tools of a chat request, and what says the same in the Messages API. */

import * as z from 'zod';
import { anyObject, cacheControl, optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy, refuse } from '../../messages/list-of.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import { REPEATED_TOOL_NAME, repeatedName } from '../../messages/tool-names.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { argumentSchema } from '../argument-schema.ts';
import { SEARCH_TOOL_TYPE, gatewaySearchTool, searchDeclaration } from '../search-request.ts';
import { ToolNames } from '../tool-names.ts';

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
        description: 'The purpose of the function and when to call it; the model decides by this text.',
      }),
      parameters: optionalField(anyObject).meta({ description: 'The JSON schema of the function’s arguments.' }),
      strict: optionalField(z.boolean()).meta({
        description: 'With true the arguments always fit the schema, on models that support this.',
      }),
    })
    .meta({ description: 'A function of yours that the model may call.' }),
  cache_control: cacheControl.meta({ description: 'Asks the provider to cache the prompt up to this tool.' }),
});
type ChatFunction = z.output<typeof functionDeclaration>;
type Declaration = ChatFunction | z.output<typeof searchDeclaration>;

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

const MAX_FUNCTIONS = 128;
const olderFunction = z.object(functionDeclaration.shape.function.shape);
export const olderFunctions = optionalField(
  boundedList(olderFunction, { max: MAX_FUNCTIONS }).superRefine((functions, context) => {
    const repeated = repeatedName(functions.map(({ name }) => name));
    if (repeated !== undefined) refuse(context, { path: [repeated, 'name'], message: REPEATED_TOOL_NAME });
  }),
);
export const olderFunctionCall = optionalField(
  z.union(
    [
      z.enum(['auto', 'none']),
      z.strictObject({ name: z.string().min(1).meta({ description: 'The name of the function to call.' }) }),
    ],
    'must be "auto", "none" or {"name": …}',
  ),
);

interface SentTools {
  tools?: readonly Declaration[] | null | undefined;
  tool_choice?: z.output<typeof chatToolChoice>;
  functions?: z.output<typeof olderFunctions>;
  function_call?: z.output<typeof olderFunctionCall>;
}

/** The tools of a request: as the engine has them, and by the names that the client knows. */
export class ChatTools {
  readonly names: ToolNames;
  /** The request has them in the older form, and so has the answer: at most one call, without an id. */
  readonly areOlder: boolean;
  readonly #declared: readonly Declaration[];
  readonly #choice: z.output<typeof chatToolChoice>;

  constructor({ tools, tool_choice: choice, functions, function_call: called }: SentTools) {
    this.areOlder = Boolean(functions?.length);
    this.#declared = functions?.length
      ? functions.map((declared) => ({ type: 'function' as const, function: declared }))
      : (tools ?? []);
    const newer = typeof called === 'object' && called ? { type: 'function' as const, function: called } : called;
    this.#choice = this.areOlder ? newer : choice;
    this.names = new ToolNames(
      this.#declared.flatMap((tool) => (isSearch(tool) ? [] : { name: tool.function.name, isCustom: false })),
    );
  }

  /** The same tools in the Messages API. */
  declared(): Tool[] {
    return this.#declared.map((tool) => (isSearch(tool) ? gatewaySearchTool(tool) : this.#functionTool(tool)));
  }

  /** The same choice in the Messages API. */
  choice(): MessagesRequest['tool_choice'] {
    switch (this.#choice) {
      case null:
      case undefined:
        return undefined;
      case 'required':
        return { type: 'any' };
      case 'auto':
      case 'none':
        return { type: this.#choice };
      default:
        return { type: 'tool', name: this.names.sentName(this.#choice.function) };
    }
  }

  #functionTool({ function: declared, cache_control: cache }: ChatFunction): Tool {
    const { name, description, parameters, strict } = declared;
    return {
      name: this.names.sentName({ name }),
      ...(description ? { description } : {}),
      input_schema: argumentSchema(parameters),
      ...(strict ? { strict } : {}),
      ...(cache ? { cache_control: cache } : {}),
    };
  }
}
