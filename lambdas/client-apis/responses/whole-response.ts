import { refusalBlock } from '../../messages/refusal-block.ts';
import type { Block, MessageBody } from '../../messages/types.ts';
import { nowSeconds } from '../../platform/clock.ts';
import {
  callItem,
  contentPart,
  continuesMessage,
  isCompleteCall,
  itemId,
  messageItem,
  reasoningItem,
  joinOutputText,
  searchItem,
  type OutputItem,
  type OutputSettings,
} from './output-items.ts';
import { incompleteReason, REFUSED, responseObject } from './response.ts';

/** Converts a non-streaming answer of the Messages API to a response object of the Responses API. */
export function wholeResponse(message: MessageBody, settings: OutputSettings): object {
  const { id, model, stop_reason: reason, usage, metadata } = message;
  const incomplete = incompleteReason(reason);
  const output = outputItems(message, settings);
  if (incomplete !== undefined) markIncomplete(output, message.content.at(-1));
  return responseObject({
    generationId: id,
    model,
    status: incomplete === undefined ? 'completed' : 'incomplete',
    output,
    usage,
    incompleteReason: incomplete,
    completedAt: incomplete === undefined ? nowSeconds() : undefined,
    metadata,
    format: settings.format,
  });
}

function outputItems({ id, content, stop_reason: reason }: MessageBody, settings: OutputSettings): OutputItem[] {
  const items: OutputItem[] = [];
  const nextId = (prefix: string) => itemId(prefix, id, items.length);
  for (const group of neighbours(content)) {
    const [first] = group as [Block, ...Block[]];
    switch (first.type) {
      case 'text':
        items.push(messageItem(nextId('msg'), 'completed', [contentPart(first, joinOutputText(group))], first));
        break;
      case 'thinking':
      case 'redacted_thinking':
        items.push(reasoningItem(nextId('rs'), first, settings));
        break;
      case 'tool_use':
        items.push(callItem(nextId('fc'), first, settings));
        break;
      case 'web_search_tool_result': {
        // A search that the gateway has not made yet, for example next to a call of the client's tool, has no result.
        const call = content.find(
          ({ type, id: callId }) => type === 'server_tool_use' && callId === first['tool_use_id'],
        );
        if (call) items.push(searchItem(nextId('ws'), call, first, settings));
      }
    }
  }
  const isSilent = reason === 'refusal' && !items.some(({ type }) => type === 'message');
  return isSilent
    ? [...items, messageItem(nextId('msg'), 'completed', [{ type: 'refusal', refusal: REFUSED }], refusalBlock())]
    : items;
}

/** Marks the last item of an answer that ended at its token limit, unless the item is a complete call. */
function markIncomplete(items: OutputItem[], block: Block | undefined): void {
  if (block?.type === 'text' || (block?.type === 'tool_use' && !isCompleteCall(block)))
    items.at(-1)!['status'] = 'incomplete';
}

/** Groups adjacent text blocks of the same phase, and adjacent refusals. Every other block is a group by itself. */
function neighbours(blocks: readonly Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1);
    if (block.type === 'text' && last && continuesMessage(last[0]!, block)) last.push(block);
    else groups.push([block]);
  }
  return groups;
}
