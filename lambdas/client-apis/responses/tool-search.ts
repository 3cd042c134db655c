/**
 * A search among tools that the client makes itself, as Codex does among those of its MCP servers: to the models here it is a function. Its
 * output declares the tools that it has found, and the model reads their names.
 */

import type { ToolNames } from '../tool-names.ts';

/** The name under which models call it. */
export const TOOL_SEARCH_NAME = 'tool_search';

interface FoundTool {
  type?: unknown;
  name?: unknown;
  tools?: unknown;
}

/** The result of a search, for the model. @param found declarations that their schema has let pass */
export function foundToolsText(found: readonly unknown[], names: ToolNames): string {
  const sent = (found as FoundTool[]).flatMap(({ type, name, tools }) =>
    type === 'namespace'
      ? (tools as FoundTool[]).map((one) => names.sentName({ namespace: String(name), name: String(one.name) }))
      : typeof name === 'string'
        ? [names.sentName({ name })]
        : [],
  );
  return sent.length === 0
    ? 'No tool was found.'
    : `These tools can be called from now on: ${sent.map((name) => JSON.stringify(name)).join(', ')}.`;
}
