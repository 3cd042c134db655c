import type { Block, Message } from '../../messages/types.ts';

/**
 * Limits the results of failed tools to text, because Claude rejects images and documents in such results
 * (https://github.com/caozhiyuan/copilot-api/pull/196). Parts other than texts and tool references move to the end of
 * the message.
 */
export function withTextualErrors(messages: Message[]): Message[] {
  return messages.map((message) => {
    if (typeof message.content === 'string') return message;
    const shown: Block[] = [];
    const content = message.content.map((block) => textualError(block, shown));
    const isSame = content.every((block, index) => block === (message.content as Block[])[index]);
    return isSame ? message : { ...message, content: [...content, ...shown] };
  });
}

/**
 * Limits a block that is the result of a failed tool to text.
 * @param shown list to which the function adds the parts that move to the end of the message
 */
function textualError(block: Block, shown: Block[]): Block {
  const parts = block['content'];
  if (block.type !== 'tool_result' || block['is_error'] !== true || !Array.isArray(parts)) return block;
  const content = (parts as Block[]).map((part): Block => {
    if (part.type === 'text') return part;
    if (part.type === 'tool_reference') return { type: 'text', text: `(the tool ${String(part['tool_name'])})` };
    shown.push(part);
    return { type: 'text', text: `(the ${part.type} of this result follows)` };
  });
  return (parts as Block[]).every(({ type }) => type === 'text') ? block : { ...block, content };
}
