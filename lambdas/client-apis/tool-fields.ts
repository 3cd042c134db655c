import type { MessagesRequest, Tool } from '../messages/types.ts';

type ToolChoice = MessagesRequest['tool_choice'];

/** Returns why a tool choice cannot be satisfied; undefined if it can be, or if it requires no call. */
export function toolChoiceFault(tools: readonly Tool[], choice: ToolChoice): string | undefined {
  if (choice?.type === 'any' && tools.length === 0)
    return 'requires a tool call, but the request has no tool that the model may call; send tools, or use "auto"';
  if (choice?.type !== 'tool' || tools.some(({ name }) => name === choice.name)) return undefined;
  return 'must name one of the tools of the request';
}

/** Returns the equivalent fields of the Messages API; empty without tools. */
export function toolFields(
  tools: Tool[],
  choice: ToolChoice,
  parallel: boolean | null | undefined,
): Pick<MessagesRequest, 'tools' | 'tool_choice'> {
  if (tools.length === 0) return {};
  const single = parallel === false ? { disable_parallel_tool_use: true } : {};
  return {
    tools,
    ...(choice || parallel === false ? { tool_choice: { ...(choice ?? { type: 'auto' }), ...single } } : {}),
  };
}
