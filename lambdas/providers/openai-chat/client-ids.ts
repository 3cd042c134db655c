import { randomUUID } from 'node:crypto';
import type { MessagesRequest } from '../../messages/types.ts';

/** What clients of the Messages API rely on. */
const CLIENT_ID = /^[a-zA-Z0-9_-]+$/;

/**
 * Ids of calls as clients get them. A provider's own id is kept where a client may have it: some write `functions.name:0`,
 * others count from `call_0` again in every answer, or in every call of one.
 * @returns the client's id of a provider's; the same for all pieces of one call
 */
export function clientIds(request: MessagesRequest): (id: string, index: number | undefined) => string {
  const given = new Map<string, { index: number | undefined; id: string }>();
  let taken: Set<string> | undefined;
  return (id, index) => {
    const known = given.get(id);
    const isAnother = known?.index !== undefined && index !== undefined && known.index !== index;
    if (known && !isAnother) return known.id;
    taken ??= idsIn(request);
    const isFree = CLIENT_ID.test(id) && !taken.has(id);
    const shown = isFree ? id : `toolu_${randomUUID().replaceAll('-', '')}`;
    taken.add(shown);
    given.set(id, { index, id: shown });
    return shown;
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
