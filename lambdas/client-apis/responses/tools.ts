/**
 * Tools of a response, and what says the same in the Messages API. Agents declare tools on every request that only OpenAI can run:
 * those are left out, because a refusal would end all their work (docs/client-apis/responses.md lists them).
 */

import * as z from 'zod';
import { anyObject, optionalField } from '../../messages/field-kinds.ts';
import { boundedList, checkedBy, firstFault, refuse } from '../../messages/list-of.ts';
import { SEARCH_NAME } from '../../messages/search-tool.ts';
import { REPEATED_TOOL_NAME, repeatedName } from '../../messages/tool-names.ts';
import type { MessagesRequest, Tool } from '../../messages/types.ts';
import { SEARCH_TOOL_TYPE, gatewaySearchTool, searchDeclaration } from '../search-request.ts';
import { customTool } from './custom-tools.ts';

const MAX_TOOLS = 1_024;
const CHOICES = 'must be "auto", "none", "required", or an object that names a tool';

const toolName = z
  .string()
  .min(1)
  .max(128)
  .meta({ description: 'The name of the tool; the model calls it by this name.' });
const description = optionalField(z.string()).meta({
  description: 'What the tool does and when to call it; the model decides by this text.',
});

const functionDeclaration = z.object({
  type: z.literal('function'),
  name: toolName,
  description,
  parameters: optionalField(anyObject).meta({ description: 'The JSON schema of the function’s arguments.' }),
  strict: optionalField(z.boolean()).meta({
    description: 'With true the arguments always fit the schema, on models that support this.',
  }),
});
const customDeclaration = z.object({
  type: z.literal('custom'),
  name: toolName,
  description,
  format: optionalField(
    z.looseObject({
      type: z.string(),
      syntax: optionalField(z.string()),
      definition: optionalField(z.string()),
    }),
  ).meta({ description: 'The form of the input. The model reads a grammar; nothing holds its words to it.' }),
});
const anyDeclaration = z.looseObject({ type: z.string().min(1).max(100) });

const schemas = {
  function: functionDeclaration,
  custom: customDeclaration,
  search: searchDeclaration,
  other: anyDeclaration,
};
type Kind = keyof typeof schemas;

function kindOf(value: unknown): Kind {
  const { type, external_web_access: isOnline } = (value ?? {}) as { type?: unknown; external_web_access?: unknown };
  if (type === 'function' || type === 'custom') return type;
  // Without an access to the web a search would be one of OpenAI's own memory, and only OpenAI can make it.
  return typeof type === 'string' && SEARCH_TOOL_TYPE.test(type) && isOnline !== false ? 'search' : 'other';
}

const declaration = z.unknown().superRefine((value, context) => {
  const fault = firstFault(schemas[kindOf(value)], value);
  if (fault) refuse(context, fault);
});
/** Tools that are left out may have any names: agents declare groups of tools that are called alike. */
export const responsesTools = optionalField(
  boundedList(declaration, { max: MAX_TOOLS }).superRefine((tools, context) => {
    const repeated = repeatedName(tools.map((tool) => (kindOf(tool) === 'other' ? undefined : nameOf(tool))));
    if (repeated === undefined) return;
    const field = kindOf(tools[repeated]) === 'search' ? 'type' : 'name';
    refuse(context, { path: [repeated, field], message: REPEATED_TOOL_NAME });
  }),
);

const modes = z.enum(['auto', 'none', 'required'], CHOICES);
const namedTool = z.looseObject({
  type: z.string().meta({ description: 'The type of the tool, such as `function`, `custom` or `web_search`.' }),
  name: optionalField(z.string()).meta({ description: 'The name of a function or of a custom tool.' }),
});
/** Tools that only OpenAI runs may say more; a choice of one is refused as a whole. */
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

/** The tools that the model may call, in the Messages API. */
export function callableTools(declared: readonly unknown[], choice: ResponsesToolChoice): Tool[] {
  const known = declared.map(knownTool).filter((tool) => tool !== undefined);
  if (!isAllowList(choice)) return known;
  const allowed = new Set(choice.tools.map(nameOf));
  return known.filter(({ name }) => allowed.has(name));
}

/** Names of tools whose input is a text. */
export function customToolNames(declared: readonly unknown[]): ReadonlySet<string> {
  return new Set(declared.filter((tool) => kindOf(tool) === 'custom').map(nameOf));
}

function knownTool(declared: unknown): Tool | undefined {
  switch (kindOf(declared)) {
    case 'function': {
      const { name, description: about, parameters, strict } = declared as z.output<typeof functionDeclaration>;
      return {
        name,
        ...(about ? { description: about } : {}),
        input_schema: parameters ?? { type: 'object', properties: {} },
        ...(strict ? { strict } : {}),
      };
    }
    case 'custom':
      return customTool(declared as z.output<typeof customDeclaration>);
    case 'search':
      return gatewaySearchTool(declared as z.output<typeof searchDeclaration>);
    case 'other':
      return undefined;
  }
}

function nameOf(tool: unknown): string {
  const { name, type } = tool as { name?: string | null; type: string };
  return SEARCH_TOOL_TYPE.test(type) ? SEARCH_NAME : (name ?? '');
}

/** The same choice in the Messages API. */
export function chosenTool(choice: ResponsesToolChoice): MessagesRequest['tool_choice'] {
  if (choice === null || choice === undefined) return undefined;
  if (choice === 'required') return { type: 'any' };
  if (typeof choice === 'string') return { type: choice };
  if (isAllowList(choice)) return { type: choice.mode === 'required' ? 'any' : 'auto' };
  return { type: 'tool', name: nameOf(choice) };
}
