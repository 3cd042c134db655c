/** Tools of the Chat Completions API, and their conversion to the Messages API. */

import * as z from 'zod';
import { anyObject, cacheControl, optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy, refuse } from '../../messages/list-of.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import { REPEATED_TOOL_NAME, repeatedName } from '../../messages/tool-names.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { argumentSchema } from '../argument-schema.ts';
import { customTool } from '../custom-tools.ts';
import { SEARCH_TOOL_TYPE, gatewaySearchTool, searchDeclaration } from '../search-request.ts';
import { ToolNames } from '../tool-names.ts';

const MAX_TOOLS = 1_024;
const TYPES = 'must be "function", "custom", or "web_search" (the only tool that the gateway runs)';

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
      cache_control: cacheControl.meta({ description: 'The same as `cache_control` of the tool.' }),
    })
    .meta({ description: 'A function of yours that the model may call.' }),
  cache_control: cacheControl.meta({ description: 'Requests that the provider cache the prompt up to this tool.' }),
});
const grammar = {
  definition: optionalField(z.string()).meta({
    description: 'The grammar of the input. The model reads it, but the input is not checked against it.',
  }),
  syntax: optionalField(z.string()).meta({ description: 'The language of the grammar: `lark` or `regex`.' }),
};
const customDeclaration = z.object({
  type: z.literal('custom'),
  custom: z
    .object({
      name: z.string().min(1).max(128).meta({ description: 'The name of the tool; the model calls it by this name.' }),
      description: optionalField(z.string()).meta({
        description: 'The purpose of the tool and when to call it; the model decides by this text.',
      }),
      format: optionalField(
        z
          .object({
            type: z.enum(['text', 'grammar']).meta({ description: 'With `grammar` the input has to fit a grammar.' }),
            grammar: optionalField(z.object(grammar)).meta({ description: 'The grammar of the input.' }),
            // Cursor nests a tool as in this API, but its grammar as in the Responses API.
            ...grammar,
          })
          .refine((format) => format.type === 'text' || (format.grammar ?? format).definition != null, {
            path: ['grammar'],
            message: 'is required: {"definition": …, "syntax": …}',
          }),
      ).meta({ description: 'The form of the input: any text, or one that fits a grammar.' }),
    })
    .meta({ description: 'A tool of yours whose input is a text of any form.' }),
  cache_control: cacheControl.meta({ description: 'Requests that the provider cache the prompt up to this tool.' }),
});
type ChatFunction = z.output<typeof functionDeclaration>;
type ChatCustomTool = z.output<typeof customDeclaration>;
type Declaration = ChatFunction | ChatCustomTool | z.output<typeof searchDeclaration>;

/**
 * Tools in the forms of the Responses API and of the Messages API, which Cursor sends to this API
 * (https://github.com/BerriAI/litellm/pull/34029, https://github.com/router-for-me/CLIProxyAPI/issues/3805).
 */
const flatFunction = functionDeclaration.shape.function.extend({
  type: z.literal('function'),
  cache_control: cacheControl,
});
const flatCustomTool = customDeclaration.shape.custom.extend({
  type: z.literal('custom'),
  cache_control: cacheControl,
});
const messagesTool = functionDeclaration.shape.function.omit({ parameters: true }).extend({
  type: z.literal('custom').nullish(),
  input_schema: anyObject,
  cache_control: cacheControl,
});
type ForeignTool = z.output<typeof flatFunction> | z.output<typeof flatCustomTool> | z.output<typeof messagesTool>;

/** Returns the schema of a tool in the form of another API; undefined for tools in the form of this API. */
function foreignSchema(value: unknown): z.ZodType<ForeignTool> | undefined {
  const { type, ...members } = (value ?? {}) as Record<string, unknown>;
  if ((type == null || type === 'custom') && 'input_schema' in members) return messagesTool;
  if (!('name' in members)) return undefined;
  if (type === 'function' && !('function' in members)) return flatFunction;
  return type === 'custom' && !('custom' in members) ? flatCustomTool : undefined;
}

/** Converts a tool in the form of another API to the form of this API. */
function ownForm(tool: Declaration | ForeignTool): Declaration {
  if (!foreignSchema(tool)) return tool as Declaration;
  const { type, cache_control: cache, ...declared } = tool as ForeignTool;
  if (type === 'custom' && !('input_schema' in declared)) return { type, custom: declared, cache_control: cache };
  const { input_schema: parameters, ...named } = declared as z.output<typeof messagesTool>;
  return { type: 'function', function: { parameters, ...named }, cache_control: cache };
}

function isCustom(value: unknown): value is ChatCustomTool {
  return (value as { type?: unknown } | null)?.type === 'custom';
}

function isSearch(value: unknown): value is z.output<typeof searchDeclaration> {
  const { type } = (value ?? {}) as { type?: unknown };
  return typeof type === 'string' && SEARCH_TOOL_TYPE.test(type);
}

const declaration = checkedBy<Declaration | ForeignTool>(
  (value) => {
    if (isSearch(value)) return searchDeclaration;
    const foreign = foreignSchema(value);
    if (foreign) return foreign;
    return isCustom(value) ? customDeclaration : functionDeclaration;
  },
  [functionDeclaration, customDeclaration, searchDeclaration],
);

function declaredName(tool: Declaration): string {
  if (isSearch(tool)) return SEARCH_NAME;
  return isCustom(tool) ? tool.custom.name : tool.function.name;
}

export const chatTools = optionalField(
  boundedList(declaration, { max: MAX_TOOLS }).superRefine((tools, context) => {
    const repeated = repeatedName(tools.map((tool) => declaredName(ownForm(tool))));
    if (repeated === undefined) return;
    const tool = tools[repeated];
    const member = foreignSchema(tool) ? [] : [isCustom(tool) ? 'custom' : 'function'];
    const path = isSearch(tool) ? ['type'] : [...member, 'name'];
    refuse(context, { path: [repeated, ...path], message: REPEATED_TOOL_NAME });
  }),
);

const CHOICES =
  'must be "auto", "none", "required", {"type": "function", "function": {"name": …}}, {"type": "custom", "custom": {"name": …}} or {"type": "allowed_tools", "allowed_tools": {"mode": …, "tools": […]}}';
const namedFunction = z.strictObject({
  type: z.literal('function'),
  function: z
    .strictObject({ name: z.string().min(1).meta({ description: 'The name of the function to call.' }) })
    .meta({ description: 'The function that the model has to call.' }),
});
const namedCustomTool = z.strictObject({
  type: z.literal('custom'),
  custom: z
    .strictObject({ name: z.string().min(1).meta({ description: 'The name of the custom tool to call.' }) })
    .meta({ description: 'The custom tool that the model has to call.' }),
});
const allowedTools = z.strictObject({
  type: z.literal('allowed_tools'),
  allowed_tools: z
    .strictObject({
      mode: z
        .enum(['auto', 'required'])
        .meta({ description: 'With `required` the model has to call one of the tools, with `auto` it may.' }),
      tools: boundedList(z.discriminatedUnion('type', [namedFunction, namedCustomTool]), { max: MAX_TOOLS }).meta({
        description: 'The tools that may be called.',
      }),
    })
    .meta({ description: 'The only tools of the request that the model may call.' }),
});
/** Field of tool choices in the form of the Messages API. Choices in the form of the Responses API may have it too. */
const onlyOneCall = {
  disable_parallel_tool_use: optionalField(z.boolean()).meta({
    description: 'With true the model makes one call at most.',
  }),
};
const flatChoice = z.strictObject({
  type: z.enum(['function', 'custom', 'tool']).meta({ description: 'The kind of the tool.' }),
  name: z.string().min(1).meta({ description: 'The name of the tool that the model must call.' }),
  ...onlyOneCall,
});
const messagesChoice = z.strictObject({
  type: z.enum(['auto', 'any', 'none']).meta({ description: 'With `any` the model must call a tool.' }),
  ...onlyOneCall,
});
export const chatToolChoice = optionalField(
  z.union(
    [
      // "any" is Mistral's name of "required" (https://github.com/zed-industries/zed/issues/34314).
      z.enum(['auto', 'none', 'required', 'any']),
      namedFunction,
      namedCustomTool,
      allowedTools,
      flatChoice.meta({ description: 'The tool to call, in the form of other APIs.' }),
      messagesChoice.meta({ description: 'Whether the model calls a tool, in the form of the Messages API.' }),
    ],
    CHOICES,
  ),
);

type NamedTool = z.output<typeof namedFunction> | z.output<typeof namedCustomTool> | z.output<typeof flatChoice>;

function nameOfChosen(tool: NamedTool): string {
  if ('name' in tool) return tool.name;
  return tool.type === 'custom' ? tool.custom.name : tool.function.name;
}

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
  tools?: readonly (Declaration | ForeignTool)[] | null | undefined;
  tool_choice?: z.output<typeof chatToolChoice>;
  functions?: z.output<typeof olderFunctions>;
  function_call?: z.output<typeof olderFunctionCall>;
}

/** Tools of a request, with the client's names and the names that the model gets. */
export class ChatTools {
  readonly names: ToolNames;
  /** Whether the tools have the older form (`functions`). The answer then has at most one call, without an id. */
  readonly areOlder: boolean;
  /** Whether the tools or their choice limit the answer to one call. The field `parallel_tool_calls` is separate. */
  readonly hasOneCall: boolean;
  readonly #declared: readonly Declaration[];
  readonly #choice: z.output<typeof chatToolChoice>;

  constructor({ tools, tool_choice: choice, functions, function_call: called }: SentTools) {
    this.areOlder = Boolean(functions?.length);
    this.#declared = functions?.length
      ? functions.map((declared) => ({ type: 'function' as const, function: declared }))
      : (tools ?? []).map(ownForm);
    const newer = typeof called === 'object' && called ? { type: 'function' as const, function: called } : called;
    this.#choice = this.areOlder ? newer : choice;
    this.hasOneCall =
      this.areOlder ||
      (choice as { disable_parallel_tool_use?: unknown } | null | undefined)?.disable_parallel_tool_use === true;
    this.names = new ToolNames(
      this.#declared.flatMap((tool) =>
        isSearch(tool)
          ? []
          : { name: declaredName(tool), kind: isCustom(tool) ? ('custom' as const) : ('function' as const) },
      ),
    );
  }

  /** Returns the declared tools that the model may call, in the form of the Messages API. */
  declared(): Tool[] {
    return this.#allowed().map((tool) => {
      if (isSearch(tool)) return gatewaySearchTool(tool);
      return isCustom(tool) ? this.#customTool(tool) : this.#functionTool(tool);
    });
  }

  #allowed(): readonly Declaration[] {
    const choice = this.#choice;
    if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return this.#declared;
    const names = new Set(choice.allowed_tools.tools.map(nameOfChosen));
    return this.#declared.filter((tool) => names.has(declaredName(tool)));
  }

  /** Returns the tool choice in the form of the Messages API. */
  choice(): MessagesRequest['tool_choice'] {
    const choice = this.#choice;
    if (choice === null || choice === undefined) return undefined;
    if (choice === 'required' || choice === 'any') return { type: 'any' };
    if (typeof choice === 'string') return { type: choice };
    if (choice.type === 'allowed_tools') return { type: choice.allowed_tools.mode === 'required' ? 'any' : 'auto' };
    if (!('name' in choice || 'function' in choice || 'custom' in choice)) return { type: choice.type };
    return { type: 'tool', name: this.names.sentName({ name: nameOfChosen(choice) }) };
  }

  #customTool({ custom, cache_control: cache }: ChatCustomTool): Tool {
    const tool = customTool(custom);
    return { ...tool, name: this.names.sentName({ name: custom.name }), ...(cache ? { cache_control: cache } : {}) };
  }

  #functionTool({ function: declared, cache_control: own }: ChatFunction): Tool {
    const { name, description, parameters, strict } = declared;
    const cache = declared.cache_control ?? own;
    return {
      name: this.names.sentName({ name }),
      ...(description ? { description } : {}),
      input_schema: argumentSchema(parameters),
      ...(strict ? { strict } : {}),
      ...(cache ? { cache_control: cache } : {}),
    };
  }
}
