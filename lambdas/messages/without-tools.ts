import type { MessagesRequest, Tool } from './types.ts';
import { without } from './without.ts';

/** Removes tools, and the tool choice of a request without other tools. Returns the same request if nothing changes. */
export function withoutTools(request: MessagesRequest, isLeftOut: (tool: Tool) => boolean): MessagesRequest {
  const { tools = [] } = request;
  const kept = tools.filter((tool) => !isLeftOut(tool));
  if (kept.length === tools.length) return request;
  return kept.length > 0 ? { ...request, tools: kept } : without(without(request, 'tools'), 'tool_choice');
}
