import type { Block, MessagesRequest } from '../../messages/types.ts';

/**
 * Rewrites the ids of calls for Moonshot's models, which expect the name and the number of earlier calls:
 * `functions.weather:0`. A result belongs to the last earlier call with the same id.
 */
export function withPositions(request: MessagesRequest): MessagesRequest {
  const positions = new Map<unknown, string>();
  let calls = 0;
  const placed = (block: Block): Block => {
    if (block.type === 'tool_use') {
      positions.set(block['id'], `functions.${String(block['name'])}:${calls}`);
      calls += 1;
      return { ...block, id: positions.get(block['id']) };
    }
    if (block.type !== 'tool_result') return block;
    return { ...block, tool_use_id: positions.get(block['tool_use_id']) ?? block['tool_use_id'] };
  };
  return {
    ...request,
    messages: request.messages.map((message) =>
      typeof message.content === 'string' ? message : { ...message, content: message.content.map(placed) },
    ),
  };
}
