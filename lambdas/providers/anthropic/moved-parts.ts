import type { Block, Message } from '../../messages/types.ts';

type IsMoved = (part: Block, result: Block) => boolean;

/**
 * Limits the results of failed tools to text, because Claude rejects images and documents in such results
 * (https://github.com/caozhiyuan/copilot-api/pull/196).
 */
export function withTextualErrors(messages: Message[]): Message[] {
  return withMovedParts(messages, ({ type }, result) => result['is_error'] === true && type !== 'text');
}

/** Moves parts of tool results to the end of the message. A tool reference becomes a text in its place. */
export function withMovedParts(messages: Message[], isMoved: IsMoved): Message[] {
  return messages.map((message) => {
    if (typeof message.content === 'string') return message;
    const shown: Block[] = [];
    const content = message.content.map((block) => withoutMoved(block, isMoved, shown));
    const isSame = content.every((block, index) => block === (message.content as Block[])[index]);
    return isSame ? message : { ...message, content: [...content, ...shown] };
  });
}

/** @param shown list to which the function adds the parts that move to the end of the message */
function withoutMoved(result: Block, isMoved: IsMoved, shown: Block[]): Block {
  const parts = result['content'];
  if (result.type !== 'tool_result' || !Array.isArray(parts)) return result;
  const content = (parts as Block[]).map((part): Block => {
    if (!isMoved(part, result)) return part;
    if (part.type === 'tool_reference') return { type: 'text', text: `(the tool ${String(part['tool_name'])})` };
    shown.push(part);
    return { type: 'text', text: `(the ${part.type} of this result follows)` };
  });
  return content.every((part, index) => part === parts[index]) ? result : { ...result, content };
}
