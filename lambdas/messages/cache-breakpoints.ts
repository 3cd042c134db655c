/**
 * Adds cache breakpoints to a prompt for Anthropic's API. Anthropic allows at most four, on tools, texts of the system
 * prompt, and blocks other than thinking. The cache of an earlier request is found only if this request has a
 * breakpoint at the same place, or at most twenty blocks after it.
 */

import { asBlocks } from './as-blocks.ts';
import type { Block, Message, MessagesRequest } from './types.ts';

const mark = { cache_control: { type: 'ephemeral' } } as const;

/**
 * Number of latest user turns that get a breakpoint. The breakpoint in the previous user turn lets this request read
 * the cache of the previous request.
 */
const MARKED_TURNS = 2;

const markable = new Set(['text', 'image', 'document', 'tool_result', 'search_result']);

/**
 * Adds breakpoints after the tools, after the system prompt and in the latest user turns. A request with its own
 * breakpoint stays unchanged.
 */
export function withBreakpoints(request: MessagesRequest): MessagesRequest {
  if (isMarked(request)) return request;
  const { tools, system, messages } = request;
  return {
    ...request,
    ...(tools?.length ? { tools: markedLast(tools, (tool) => tool['defer_loading'] !== true) } : {}),
    ...(system?.length ? { system: markedLast(asBlocks(system), isMarkable) } : {}),
    messages: withMarkedTurns(messages),
  };
}

function isMarked({ cache_control: own, tools = [], system = [], messages }: MessagesRequest): boolean {
  const contents = [system, ...messages.map(({ content }) => content)];
  const blocks = contents.flatMap((content) => (typeof content === 'string' ? [] : content));
  const results = blocks.flatMap(({ content }) => (Array.isArray(content) ? (content as Block[]) : []));
  const marked: Record<string, unknown>[] = [{ cache_control: own }, ...tools, ...blocks, ...results];
  return marked.some((item) => item?.['cache_control'] != null);
}

function withMarkedTurns(messages: Message[]): Message[] {
  const marked = [...messages];
  let turns = 0;
  for (let index = messages.length - 1; index >= 0 && turns < MARKED_TURNS; index -= 1) {
    const message = messages[index]!;
    if (message.role !== 'user') continue;
    turns += 1;
    marked[index] = { ...message, content: markedLast(asBlocks(message.content), isMarkable) };
  }
  return marked;
}

/** Returns whether a block may have a breakpoint. Empty text blocks may not. */
function isMarkable(block: Block): boolean {
  return markable.has(block.type) && (block.type !== 'text' || block['text'] !== '');
}

function markedLast<Item extends object>(items: Item[], mayBeMarked: (item: Item) => boolean): Item[] {
  const last = items.findLastIndex(mayBeMarked);
  return last === -1 ? items : items.with(last, { ...items[last]!, ...mark });
}
