/** Tool search that the client runs, as Codex does for tools of MCP servers. Models get it as a function. */

import type { ToolNames } from '../tool-names.ts';

interface FoundTool {
  type?: unknown;
  name?: unknown;
  tools?: unknown;
}

/** Returns the result of a tool search as text for the model. */
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
