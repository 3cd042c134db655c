import { asBlocks } from '../../messages/as-blocks.ts';
import { hasGatewaySignature } from '../../messages/thinking-signatures.ts';
import type { Block, Message } from '../../messages/types.ts';

/**
 * Moves the tool calls of each assistant turn after the texts that follow them: Claude rejects other content after a
 * call (https://github.com/vercel/ai/issues/13013, https://github.com/stacklok/mecatl/issues/1465), but other models also
 * write after a call. Signed thinking and the blocks before it keep their order, because Claude rejects thinking at
 * another place (https://github.com/anomalyco/opencode/pull/30182). Adjacent assistant messages are one turn.
 */
export function withCallsLast(messages: Message[]): Message[] {
  const turns: Message[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const isAssistant = message.role === 'assistant';
    const earlier = isAssistant && last?.role === 'assistant' ? asBlocks(last.content) : [];
    const blocks = [...earlier, ...asBlocks(message.content)];
    if (!isAssistant || !blocks.some(isCall)) {
      turns.push(message);
      continue;
    }
    if (earlier.length > 0) turns.pop();
    turns.push({ ...message, content: withCallsLastInParts(blocks) });
  }
  return turns;
}

/** Moves the calls of each part of a turn to its end. A part ends before signed thinking. */
function withCallsLastInParts(blocks: readonly Block[]): Block[] {
  const parts: { others: Block[]; calls: Block[] }[] = [{ others: [], calls: [] }];
  for (const block of blocks) {
    if (block.type.endsWith('thinking') && !hasGatewaySignature(block)) parts.push({ others: [], calls: [] });
    parts.at(-1)![isCall(block) ? 'calls' : 'others'].push(block);
  }
  return parts.flatMap(({ others, calls }) => [...others, ...calls]);
}

const isCall = ({ type }: Block): boolean => type === 'tool_use';
