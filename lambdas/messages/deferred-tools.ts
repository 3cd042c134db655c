/**
 * Emulates changes of the tools in a conversation for providers other than Anthropic. The model gets a deferred tool
 * (`defer_loading`) only after a tool search or an instruction has added it; instructions also declare and remove tools
 * (https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages).
 */

import type { Block, Message, MessagesRequest, Tool } from './types.ts';
import { without } from './without.ts';

interface ToolChange {
  name: unknown;
  isRemoved: boolean;
  /** Definition of an added tool; undefined for a tool that the request declares. */
  definition?: Tool | undefined;
}

/**
 * Returns a request with the tools that result from all changes. Returns the same request if it defers and changes no
 * tools.
 */
export function withoutDeferral(request: MessagesRequest): MessagesRequest {
  const changes = request.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap(changesIn),
  );
  const declared = request.tools ?? [];
  const isDeferring = declared.some((tool) => tool['defer_loading'] !== undefined);
  if (!isDeferring && changes.length === 0) return request;
  const byName = new Map(declared.map((tool) => [tool.name, tool]));
  // Tools that Anthropic defines may have no name. The tool itself is then its key.
  const offered = new Map<unknown, Tool>(
    declared.filter(({ defer_loading: isDeferred }) => isDeferred !== true).map((tool) => [tool.name ?? tool, tool]),
  );
  for (const { name, isRemoved, definition } of changes) {
    const added = definition ?? byName.get(name as string);
    if (isRemoved) offered.delete(name);
    else if (added) offered.set(name, added);
  }
  const tools = [...offered.values()].map((tool) => without(tool, 'defer_loading'));
  return {
    ...without(request, 'tools'),
    ...(tools.length > 0 ? { tools } : {}),
    ...(changes.length > 0 ? { messages: request.messages.map(withNamedChanges) } : {}),
  };
}

function changesIn(block: Block): ToolChange[] {
  switch (block.type) {
    case 'tool_result':
      return Array.isArray(block['content']) ? (block['content'] as Block[]).flatMap(changesIn) : [];
    case 'tool_search_tool_result':
      return ((block['content'] as { tool_references?: Block[] } | null)?.tool_references ?? []).flatMap(changesIn);
    case 'tool_reference':
      return [{ name: block['tool_name'], isRemoved: false }];
    case 'tool_addition':
    case 'tool_removal': {
      const { name, definition } = (block['tool'] ?? {}) as { name?: unknown; definition?: Tool | null };
      return [
        {
          name: definition?.name ?? name,
          isRemoved: block.type === 'tool_removal',
          definition: definition ?? undefined,
        },
      ];
    }
    default:
      return [];
  }
}

function withNamedChanges(message: Message): Message {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map(namedChange) };
}

/**
 * Replaces a block that adds or removes a tool by a text, also within a tool result. Returns any other block unchanged.
 */
function namedChange(block: Block): Block {
  const [change] = changesIn(block);
  if (change === undefined || block.type === 'tool_search_tool_result') return block;
  if (block.type === 'tool_result') return { ...block, content: (block['content'] as Block[]).map(namedChange) };
  const { name, isRemoved } = change;
  const text = `The tool ${JSON.stringify(name)} can ${isRemoved ? 'no longer be called' : 'be called from now on'}.`;
  return { type: 'text', text };
}
