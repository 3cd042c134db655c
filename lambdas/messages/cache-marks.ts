/**
 * Anthropic rejects more than four cache marks (`cache_control`), and a mark for an hour after a mark for five minutes.
 */

import { asBlocks } from './as-blocks.ts';
import { without } from './without.ts';
import type { Block, Message, MessagesRequest } from './types.ts';

const MAX_MARKS = 4;

type Marked = Record<string, unknown>;
type MarkChange = (item: Marked) => Marked;

/**
 * Returns the request with cache marks that Anthropic accepts: keeps the last four marks, and shortens marks for an
 * hour that follow a mark for five minutes.
 * @returns the same request if all of its marks are accepted
 */
export function withSupportedMarks(requested: MessagesRequest): MessagesRequest {
  const request = withoutDeferredMarks(requested);
  const marks: Marked[] = [];
  mapMarks(request, (item) => {
    marks.push(item);
    return item;
  });
  if (marks.length === 0) return request;
  const markable = marks.filter(mayHaveMark);
  const kept = markable.slice(-MAX_MARKS);
  const short = kept.findIndex((item) => !lastsAnHour(item));
  const isTaken = kept.length === marks.length && (short === -1 || !kept.slice(short).some(lastsAnHour));
  if (isTaken) return request;
  let place = 0;
  const first = markable.length - kept.length;
  return mapMarks(request, (item) => {
    if (!mayHaveMark(item)) return without(item, 'cache_control');
    const index = place - first;
    place += 1;
    if (index < 0) return without(item, 'cache_control');
    const isBehindShort = short !== -1 && index > short && lastsAnHour(item);
    return isBehindShort ? { ...item, cache_control: { type: 'ephemeral' } } : item;
  });
}

const isDeferred = (tool: Marked) => tool['defer_loading'] === true;

/**
 * Moves the last mark on a deferred tool to the last other tool, unless that tool has a mark. Anthropic rejects marks
 * on deferred tools, but Claude Code sends them (https://github.com/anthropics/claude-code/issues/86743).
 */
function withoutDeferredMarks(request: MessagesRequest): MessagesRequest {
  const { tools = [] } = request;
  const mark = tools.findLast((tool) => isDeferred(tool) && tool['cache_control'] != null)?.['cache_control'];
  if (mark == null) return request;
  const place = tools.findLastIndex((tool) => !isDeferred(tool));
  const moved = tools.map((tool, index) => {
    if (isDeferred(tool)) return without(tool, 'cache_control');
    return index === place && tool['cache_control'] == null ? { ...tool, cache_control: mark } : tool;
  });
  return { ...request, tools: moved };
}

/**
 * Reduces each cache mark to its type and lifetime. Claude Code adds a scope, which only Anthropic's own service
 * accepts (https://github.com/Wei-Shaw/claude-relay-service/pull/965).
 */
export function withPlainMarks(request: MessagesRequest): MessagesRequest {
  let isPlain = true;
  const plain = mapMarks(request, (item) => {
    const { type, ttl, ...others } = item['cache_control'] as Record<string, unknown>;
    if (Object.keys(others).length === 0 && ttl !== null) return item;
    isPlain = false;
    return { ...item, cache_control: ttl == null ? { type } : { type, ttl } };
  });
  return isPlain ? request : plain;
}

/**
 * Moves the mark of the request itself to the last block that may have one in the last message, or drops it. Bedrock
 * and Google Cloud accept only marks on blocks (https://github.com/UKGovernmentBEIS/inspect_ai/pull/3851).
 */
export function withMarkOnBlock(marked: MessagesRequest): MessagesRequest {
  const { cache_control: mark } = marked;
  if (mark == null) return marked;
  const request = without(marked, 'cache_control');
  const earlier = request.messages.slice(0, -1);
  const last = request.messages.at(-1)!;
  const content = asBlocks(last.content);
  const at = content.findLastIndex(mayHaveMark);
  if (at === -1) return request;
  const block = { ...content[at]!, cache_control: content[at]!['cache_control'] ?? mark };
  return { ...request, messages: [...earlier, { ...last, content: content.with(at, block) }] };
}

function lastsAnHour({ cache_control: control }: Marked): boolean {
  return (control as { ttl?: unknown }).ttl === '1h';
}

function mayHaveMark({ type, text }: Marked): boolean {
  return type !== 'thinking' && type !== 'redacted_thinking' && !(type === 'text' && text === '');
}

/** Changes each item with a cache mark, in the order of the prompt. A mark on the request itself comes last. */
function mapMarks(request: MessagesRequest, change: MarkChange): MessagesRequest {
  const { tools, system, messages } = request;
  const mapped = {
    ...request,
    ...(tools ? { tools: mapMarked(tools, change) } : {}),
    ...(Array.isArray(system) ? { system: withMappedMarks(system, change) } : {}),
    messages: messages.map((message): Message =>
      typeof message.content === 'string' ? message : { ...message, content: withMappedMarks(message.content, change) },
    ),
  };
  return mapMarked<MessagesRequest>([mapped], change)[0]!;
}

function withMappedMarks(blocks: Block[], change: MarkChange): Block[] {
  return blocks.map((block) => {
    const { content } = block;
    const inner = Array.isArray(content) ? { ...block, content: mapMarked(content as Block[], change) } : block;
    return mapMarked<Block>([inner], change)[0]!;
  });
}

function mapMarked<Item extends object>(items: readonly Item[], change: MarkChange): Item[] {
  return items.map((item) => ((item as Marked)['cache_control'] == null ? item : (change(item as Marked) as Item)));
}
