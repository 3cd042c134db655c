/**
 * Rewrites calls of tools that a provider ran itself, and their results, as texts for models of other providers. The
 * texts are the user's, because models imitate such texts in their own messages.
 */

import { asBlocks } from '../../messages/as-blocks.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';

const SERVER_BLOCK = /^(?:server|mcp)_tool_use$|_tool_result$/;
/** Matches fields that only the provider of the tool can read. */
const UNREADABLE = /^encrypted_|^file_id$/;

/**
 * Moves the texts about calls of providers' own tools to the next message, after its tool results. If the next message
 * is not the user's, or is missing, the texts get a user message of their own.
 * @param isOfServer whether a block becomes a text
 */
export function withTextualServerTools(request: MessagesRequest, isOfServer = isOfAnyServer): MessagesRequest {
  const sent = request.messages;
  const used = sent.map(({ content }) => textOf(asBlocks(content).filter(isOfServer)));
  if (used.every((text) => text === undefined)) return request;
  const messages = sent.flatMap((message, index): Message[] => {
    const blocks = asBlocks(message.content).filter((block) => !isOfServer(block));
    const first = blocks.findIndex(({ type }) => type !== 'tool_result');
    const before = message.role === 'user' ? (used[index - 1] ?? []) : [];
    const content = blocks.toSpliced(first === -1 ? blocks.length : first, 0, ...before);
    const text = sent[index + 1]?.role === 'user' ? undefined : used[index];
    const kept = {
      ...message,
      content: content.length > 0 ? content : [{ type: 'text', text: 'I have the results.' }],
    };
    return text ? [kept, { role: 'user', content: text }] : [kept];
  });
  return { ...request, messages };
}

const isOfAnyServer = ({ type }: Block) => SERVER_BLOCK.test(type);

function textOf(blocks: readonly Block[]): Block[] | undefined {
  if (blocks.length === 0) return undefined;
  const lines = blocks.map(
    ({ name, input, content }) => `${typeof name === 'string' ? name : 'Result'}: ${readable(input ?? content)}`,
  );
  return [{ type: 'text', text: `Tools that the assistant used:\n\n${lines.join('\n')}` }];
}

/** Returns the JSON of a value without encrypted content, ids of files and base64 data. */
function readable(value: unknown): string {
  return JSON.stringify(value ?? null, (key, inner: unknown) => {
    const isData = key === 'source' && (inner as { type?: unknown } | null)?.type === 'base64';
    return isData || UNREADABLE.test(key) ? undefined : inner;
  });
}
