/**
 * Tools of the Responses API, and their conversion to the Messages API. Tools that only OpenAI can run are left out,
 * because some agents declare them in every request (docs/client-apis/responses.md).
 */

import * as z from 'zod';
import { anyObject, cacheControl, optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy, firstFault, refuse } from '../../messages/list-of.ts';
import { recordOrEmpty } from '../../platform/json/foreign-json.ts';
import type { Fault } from '../../platform/zod-messages.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import { REPEATED_TOOL_NAME, repeatedName } from '../../messages/tool-names.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { argumentSchema } from '../argument-schema.ts';
import { SEARCH_TOOL_TYPE, gatewaySearchTool, searchDeclaration } from '../search-request.ts';
import { ToolNames, type ClientTool } from '../tool-names.ts';
import { customTool } from '../custom-tools.ts';

const MAX_TOOLS = 1_024;
/** Name of the function that models call to search for tools. */
export const TOOL_SEARCH_NAME = 'tool_search';
const CHOICES = 'must be "auto", "none", "required", or an object that names a tool';

const toolName = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: 'The name of the tool; the model calls it by this name.' });
const description = optionalField(z.string()).meta({
  description: 'The purpose of the tool and when to call it; the model decides by this text.',
});

const cacheMark = cacheControl.meta({
  description: 'Requests that the provider cache the prompt up to this tool.',
});

const functionDeclaration = z.object({
  type: z.literal('function'),
  name: toolName,
  description,
  cache_control: cacheMark,
  parameters: optionalField(anyObject).meta({ description: 'The JSON schema of the function’s arguments.' }),
  strict: optionalField(z.boolean()).meta({
    description: 'With true the arguments always fit the schema, on models that support this.',
  }),
});
const customDeclaration = z.object({
  type: z.literal('custom'),
  name: toolName,
  description,
  cache_control: cacheMark,
  format: optionalField(
    z.looseObject({
      type: z.string(),
      syntax: optionalField(z.string()),
      definition: optionalField(z.string()),
    }),
  ).meta({
    description: 'The format of the input. The model reads a grammar, but the input is not checked against it.',
  }),
});
/**
 * Tool search that the client runs. Codex omits the tools of MCP servers in its first request. When the model calls
 * this tool, Codex searches for suitable tools of these servers.
 */
const toolSearchDeclaration = z.object({
  type: z.literal('tool_search'),
  execution: z.literal('client').meta({
    description: 'The client searches by itself and answers with a `tool_search_output`; other searches are left out.',
  }),
  description,
  parameters: optionalField(anyObject).meta({ description: 'The JSON schema of the search’s arguments.' }),
});
const anyDeclaration = z.looseObject({ type: z.string().min(1).max(100) });
const groupedDeclaration = checkedBy<z.output<typeof functionDeclaration> | z.output<typeof customDeclaration>>(
  (value) => ((value as { type?: unknown } | null)?.type === 'custom' ? customDeclaration : functionDeclaration),
  [functionDeclaration, customDeclaration],
);
const namespaceDeclaration = z.object({
  type: z.literal('namespace'),
  name: toolName,
  description: optionalField(z.string()).meta({
    description: 'A description of the group; the model reads it with the first tool of the group.',
  }),
  tools: boundedList(groupedDeclaration, { max: MAX_TOOLS }).meta({
    description: 'The functions and custom tools of the group. A call says its `namespace` and the name of the tool.',
  }),
});

const schemas = {
  function: functionDeclaration,
  custom: customDeclaration,
  namespace: namespaceDeclaration,
  search: searchDeclaration,
  tool_search: toolSearchDeclaration,
  other: anyDeclaration,
};
type Kind = keyof typeof schemas;

function kindOf(value: unknown): Kind {
  const { type, external_web_access: isOnline, execution } = (value ?? {}) as Record<string, unknown>;
  if (type === 'function' || type === 'custom' || type === 'namespace') return type;
  if (type === 'tool_search' && execution === 'client') return type;
  // A search without web access uses OpenAI's own index, which only OpenAI has.
  return typeof type === 'string' && SEARCH_TOOL_TYPE.test(type) && isOnline !== false ? 'search' : 'other';
}

const declaration = z.unknown().superRefine((value, context) => {
  const fault = firstFault(schemas[kindOf(value)], value);
  if (fault) refuse(context, fault);
});
export const responsesTools = optionalField(
  boundedList(declaration, { max: MAX_TOOLS }).superRefine((tools, context) => {
    const fault = repeatedTool(tools);
    if (fault) refuse(context, fault);
  }),
);

type FunctionDeclaration = z.output<typeof functionDeclaration>;
type CustomDeclaration = z.output<typeof customDeclaration>;
type NamespaceDeclaration = z.output<typeof namespaceDeclaration>;
type ToolSearchDeclaration = z.output<typeof toolSearchDeclaration>;

/** Declaration of a tool that a model can call, with its path in the request. */
type Declared = { path: PropertyKey[] } & (
  | { kind: 'search'; declaration: z.output<typeof searchDeclaration> }
  | { kind: 'tool_search'; declaration: ToolSearchDeclaration }
  | { kind: 'function'; declaration: FunctionDeclaration; group?: NamespaceDeclaration }
  | { kind: 'custom'; declaration: CustomDeclaration; group?: NamespaceDeclaration }
);

/** Returns the tools that the gateway's models can call, including tools in groups. */
function declaredTools(tools: readonly unknown[]): Declared[] {
  return tools.flatMap((tool, index): Declared[] => {
    const path = [index];
    const kind = kindOf(tool);
    switch (kind) {
      case 'function':
        return [{ kind, path, declaration: tool as FunctionDeclaration }];
      case 'custom':
        return [{ kind, path, declaration: tool as CustomDeclaration }];
      case 'search':
        return [{ kind, path, declaration: tool as z.output<typeof searchDeclaration> }];
      case 'tool_search':
        return [{ kind, path, declaration: tool as ToolSearchDeclaration }];
      case 'namespace': {
        const group = tool as NamespaceDeclaration;
        return group.tools.map((one, place) => groupedTool(one, group, [...path, 'tools', place]));
      }
      case 'other':
        return [];
    }
  });
}

/** Returns the tools that are left out, by their types. */
export function unusableTools(tools: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    tools.filter((tool) => kindOf(tool) === 'other').map((tool) => [(tool as { type: string }).type, tool]),
  );
}

function groupedTool(
  one: FunctionDeclaration | CustomDeclaration,
  group: NamespaceDeclaration,
  path: PropertyKey[],
): Declared {
  return one.type === 'custom'
    ? { kind: 'custom', path, declaration: one, group }
    : { kind: 'function', path, declaration: one, group };
}

/** Finds a repeated name among the tools outside of groups. Grouped tools may have equal names. */
function repeatedTool(tools: readonly unknown[]): Fault | undefined {
  const single = declaredTools(tools).filter((tool) => tool.kind !== 'tool_search' && groupOf(tool) === undefined);
  const repeated = repeatedName(single.map(declaredName));
  if (repeated === undefined) return undefined;
  const { path, kind } = single[repeated]!;
  return { path: [...path, kind === 'search' ? 'type' : 'name'], message: REPEATED_TOOL_NAME };
}

function declaredName(tool: Declared): string {
  switch (tool.kind) {
    case 'search':
      return SEARCH_NAME;
    case 'tool_search':
      return TOOL_SEARCH_NAME;
    default:
      return tool.declaration.name;
  }
}

function groupOf(tool: Declared): NamespaceDeclaration | undefined {
  return 'group' in tool ? tool.group : undefined;
}

function namespaceOf(tool: Declared): string | undefined {
  return groupOf(tool)?.name;
}

const modes = z.enum(['auto', 'none', 'required', 'any'], CHOICES);
const namedTool = z.looseObject({
  type: z
    .string()
    .meta({ description: 'The type of the tool, such as `function`, `custom`, `namespace` or `web_search`.' }),
  name: optionalField(z.string()).meta({ description: 'The name of a function, a custom tool or a group.' }),
  namespace: optionalField(z.string()).meta({ description: 'The group that the tool belongs to.' }),
});
/**
 * Choice of a tool. Unknown members are refused, except in a choice of a tool that only OpenAI runs: that choice is
 * refused anyway.
 */
const namedOwnTool = z.strictObject(namedTool.shape);
const allowList = z.strictObject({
  type: z.literal('allowed_tools'),
  mode: z
    .enum(['auto', 'required'])
    .meta({ description: 'With `required` the model has to call one of the tools, with `auto` it may.' }),
  tools: boundedList(namedTool, { max: MAX_TOOLS }).meta({ description: 'The tools that may be called.' }),
});
type AllowList = z.output<typeof allowList>;
type ResponsesToolChoice = z.output<typeof modes> | AllowList | z.output<typeof namedTool> | null | undefined;

function isAllowList(choice: unknown): choice is AllowList {
  return (choice as { type?: unknown } | null | undefined)?.type === 'allowed_tools';
}

function choiceSchema(value: unknown): z.ZodType {
  if (typeof value !== 'object') return modes;
  if (isAllowList(value)) return allowList;
  return kindOf(value) === 'other' ? namedTool : namedOwnTool;
}

export const responsesToolChoice = optionalField(
  checkedBy<NonNullable<ResponsesToolChoice>>(choiceSchema, [modes, allowList, namedTool]),
);

/** Tools of a request, with the client's names and the names that the model gets. */
export class DeclaredTools {
  readonly names: ToolNames;
  readonly #declared: readonly Declared[];

  /** If a tool is declared several times, as in long conversations, the first declaration applies. */
  constructor(tools: readonly unknown[]) {
    const seen = new Set<string>();
    this.#declared = declaredTools(tools).filter((tool) => {
      const identity = `${namespaceOf(tool) ?? ''}\n${declaredName(tool)}`;
      return !seen.has(identity) && seen.add(identity);
    });
    this.names = new ToolNames(this.#declared.flatMap((tool) => clientToolOf(tool) ?? []));
  }

  /** Returns the tools that the model may call, in the form of the Messages API. */
  callable(choice: ResponsesToolChoice): Tool[] {
    const allowed = isAllowList(choice)
      ? this.#declared.filter((tool) => isAllowed(tool, choice.tools))
      : this.#declared;
    const described = new Set<unknown>();
    return allowed.map((tool) => {
      const group = groupOf(tool);
      const isFirst = group !== undefined && !described.has(group);
      described.add(group);
      return this.#engineTool(tool, isFirst ? group.description : undefined, choice);
    });
  }

  /** Returns the tool choice in the form of the Messages API. */
  choice(choice: ResponsesToolChoice): MessagesRequest['tool_choice'] {
    if (choice === null || choice === undefined) return undefined;
    if (choice === 'required' || choice === 'any') return { type: 'any' };
    if (typeof choice === 'string') return { type: choice };
    if (isAllowList(choice)) return { type: choice.mode === 'required' ? 'any' : 'auto' };
    if (kindOf(choice) === 'search') return { type: 'tool', name: SEARCH_NAME };
    return {
      type: 'tool',
      name: this.names.sentName({ name: choice.name ?? '', namespace: choice.namespace ?? undefined }),
    };
  }

  /**
   * Converts a declared tool to the form of the Messages API.
   * @param about description of the tool's group, if this is the first tool of the group
   */
  #engineTool(tool: Declared, about: string | null | undefined, choice: ResponsesToolChoice): Tool {
    if (tool.kind === 'search') {
      // A search that the gateway cannot run is an error only if the choice requires it: some agents declare a search
      // in every request.
      const isDemanded = typeof choice === 'object' && choice !== null && kindOf(choice) === 'search';
      return { ...gatewaySearchTool(tool.declaration), ...(isDemanded ? {} : { if_possible: true }) };
    }
    const engineTool =
      tool.kind === 'custom'
        ? customTool(tool.declaration)
        : functionTool({ ...tool.declaration, name: declaredName(tool) });
    const description = [about, engineTool.description].filter(Boolean).join('\n\n');
    const name = this.names.sentName({ name: declaredName(tool), namespace: namespaceOf(tool) });
    const mark = tool.kind === 'tool_search' ? undefined : tool.declaration.cache_control;
    return {
      ...engineTool,
      name,
      ...(description === '' ? {} : { description }),
      ...(mark ? { cache_control: mark } : {}),
    };
  }
}

function clientToolOf(tool: Declared): ClientTool | undefined {
  if (tool.kind === 'search') return undefined;
  return {
    name: declaredName(tool),
    namespace: namespaceOf(tool),
    kind: tool.kind,
    expectsEncrypted: tool.kind === 'function' && hasEncrypted(tool.declaration.parameters),
  };
}

/** Whether a function has an argument that OpenAI would encrypt, as the functions for Codex' agents do. */
function hasEncrypted(parameters: Record<string, unknown> | null | undefined): boolean {
  return Object.values(recordOrEmpty(parameters?.['properties'])).some(
    (one) => recordOrEmpty(one)['encrypted'] === true,
  );
}

function isAllowed(tool: Declared, allowed: AllowList['tools']): boolean {
  return allowed.some((one) => {
    if (one.type === 'namespace') return namespaceOf(tool) === one.name;
    if (kindOf(one) === 'search') return tool.kind === 'search';
    if (one.type === 'tool_search') return tool.kind === 'tool_search';
    return declaredName(tool) === one.name && (namespaceOf(tool) ?? null) === (one.namespace ?? null);
  });
}

function functionTool({ name, description: about, parameters, strict }: Omit<FunctionDeclaration, 'type'>): Tool {
  return {
    name,
    ...(about ? { description: about } : {}),
    input_schema: argumentSchema(parameters),
    ...(strict ? { strict } : {}),
  };
}
