/** The tools of a request and the choice among them, which both of OpenAI's APIs have. */

import type { MessagesRequest, Tool } from '../messages/types.ts';

type ToolChoice = MessagesRequest['tool_choice'];

/** Why no tool can be called as the client demands; undefined where one can, or where the model may do without. */
export function toolChoiceFault(tools: readonly Tool[], choice: ToolChoice): string | undefined {
  if (choice?.type === 'any' && tools.length === 0) return 'demands a call, but there is no tool that can be called';
  if (choice?.type !== 'tool' || tools.some(({ name }) => name === choice.name)) return undefined;
  return 'must name one of the tools that this gateway takes';
}

/** The same in the Messages API; nothing where there are no tools. */
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
