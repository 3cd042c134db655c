import type { Block, Message } from '../../messages/types.ts';

/**
 * Limits failed results to text: Claude refuses an image or a document in them
 * (https://github.com/caozhiyuan/copilot-api/pull/196). Images and documents of a failed tool move behind the results.
 */
export function withTextualErrors(messages: Message[]): Message[] {
  return messages.map((message) => {
    if (typeof message.content === 'string') return message;
    const shown: Block[] = [];
    const content = message.content.map((block) => textualError(block, shown));
    return shown.length === 0 ? message : { ...message, content: [...content, ...shown] };
  });
}

/** @param shown gets the parts that cannot stay in the result */
function textualError(block: Block, shown: Block[]): Block {
  const parts = block['content'];
  if (block.type !== 'tool_result' || block['is_error'] !== true || !Array.isArray(parts)) return block;
  const content = (parts as Block[]).map((part): Block => {
    if (part.type === 'text') return part;
    // A reference to a tool has no visible content.
    if (part.type !== 'tool_reference') shown.push(part);
    return { type: 'text', text: `(the ${part.type} of this result follows)` };
  });
  return (parts as Block[]).every(({ type }) => type === 'text') ? block : { ...block, content };
}
