import { randomUUID } from 'node:crypto';
import type { MessagesRequest } from '../../messages/types.ts';
import { clientCallId } from '../tool-call-id.ts';

export function newCallId(): string {
  return `toolu_${randomUUID().replaceAll('-', '')}`;
}

/**
 * Returns a function that makes ids of tool calls unique within the conversation. Some providers start at `call_0` in
 * every answer, or use `call_0` or an empty id for every call of an answer.
 * @returns a function from the provider's id to the unique id, which is the same for all pieces of one call
 */
export function uniqueCallIds(request: MessagesRequest): (id: string, index: number | undefined) => string {
  const given = new Map<string, { index: number | undefined; id: string }>();
  /** Ids that the conversation already uses, as clients see them; undefined until the first call. */
  let usedIds: Set<string> | undefined;
  return (id, index) => {
    const known = given.get(id);
    const isAnother = known?.index !== undefined && index !== undefined && known.index !== index;
    if (known && !isAnother) return known.id;
    usedIds ??= idsIn(request);
    const unique = id === '' || usedIds.has(clientCallId(id)) ? newCallId() : id;
    usedIds.add(clientCallId(unique));
    given.set(id, { index, id: unique });
    return unique;
  };
}

function idsIn({ messages }: MessagesRequest): Set<string> {
  const ids = new Set<string>();
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const block of content) if (block.type === 'tool_use') ids.add(String(block['id']));
  }
  return ids;
}
