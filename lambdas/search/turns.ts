import { asBlocks } from '../messages/as-blocks.ts';
import type { Block, Message, MessagesRequest } from '../messages/types.ts';
import { modelCallId } from './call-ids.ts';
import { isSearchCall, joined, modelText } from './history.ts';
import type { Seals } from './seals.ts';
import type { SearchCall } from './session.ts';
import type { Sources } from './sources.ts';

/**
 * Returns the search calls of an answer, except calls with a result, because the provider made these searches itself.
 */
export function searchCalls(blocks: readonly Block[]): SearchCall[] {
  const answered = new Set(blocks.map(({ type, tool_use_id: id }) => type === 'web_search_tool_result' && id));
  return blocks
    .filter((block) => isSearchCall(block) && !answered.has(block['id']))
    .map(({ id, input }) => ({ id: id as string, query: queryIn(input) }));
}

/** Returns the search calls with these ids of the client. The conversation contains the ids for the model. */
export function openCalls({ messages }: MessagesRequest, ids: readonly string[]): SearchCall[] {
  if (ids.length === 0) return [];
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const inputs = new Map(blocks.flatMap(({ type, id, input }) => (type === 'tool_use' ? [[id, input] as const] : [])));
  return ids.map((id) => ({ id, query: queryIn(inputs.get(modelCallId(id))) }));
}

function queryIn(input: unknown): string | undefined {
  const { query } = (input ?? {}) as { query?: unknown };
  return typeof query === 'string' && query.trim() !== '' ? query : undefined;
}

/** Appends the blocks that the model wrote last, and the results of their calls. */
export function withRound(
  messages: readonly Message[],
  modelBlocks: readonly Block[],
  results: Block[],
  { sources, seals }: { sources: Sources; seals: Seals },
): Message[] {
  const written = modelBlocks.map((block) => {
    if (!isSearchCall(block)) return block.type === 'text' ? modelText(block, sources, seals) : block;
    const { id, name, input } = block;
    return { type: 'tool_use', id: modelCallId(id as string), name, input };
  });
  return [...messages, { role: 'assistant', content: joined(written) }, { role: 'user', content: results }];
}

/** Adds an empty result to each open call, because some providers reject a token count for a call without a result. */
export function withoutResults(request: MessagesRequest, calls: readonly SearchCall[]): MessagesRequest {
  if (calls.length === 0) return request;
  const empty = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: modelCallId(id), content: '' }));
  return withResults(request, empty);
}

/** Inserts the results of open calls after the message with these calls. */
export function withResults(request: MessagesRequest, results: readonly Block[]): MessagesRequest {
  const messages = [...request.messages];
  const ids = new Set(results.map((result) => result['tool_use_id']));
  const at = messages.findLastIndex(
    ({ content }) => typeof content !== 'string' && content.some(({ type, id }) => type === 'tool_use' && ids.has(id)),
  );
  const next = messages[at + 1];
  if (next?.role === 'user') {
    const content = asBlocks(next.content);
    messages[at + 1] = { ...next, content: [...results, ...content] };
  } else messages.splice(at + 1, 0, { role: 'user', content: [...results] });
  return { ...request, messages };
}
