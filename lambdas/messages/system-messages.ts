import { asBlocks } from './as-blocks.ts';
import { append } from '../platform/append.ts';
import type { Message, MessagesRequest } from './types.ts';

/**
 * Moves the instructions at the beginning into the system prompt, and converts later ones to user messages, for models
 * that accept instructions only at the beginning.
 */
export function withInstructionsFirst(request: MessagesRequest): MessagesRequest {
  const { messages, system = [] } = request;
  if (!messages.some(({ role }) => role === 'system')) return request;
  // If there are only instructions, they become user messages, because the model needs a message to answer.
  const begin = Math.max(
    0,
    messages.findIndex(({ role }) => role !== 'system'),
  );
  const first = messages.slice(0, begin).flatMap(({ content }) => asBlocks(content));
  return {
    ...request,
    ...(first.length > 0 ? { system: [...asBlocks(system), ...first] } : {}),
    messages: withoutSystemMessages(messages.slice(begin)),
  };
}

/**
 * Converts system messages to user messages with <system> tags. A system message between a call and its results is
 * moved after the results, which must directly follow the call.
 */
export function withoutSystemMessages(messages: Message[]): Message[] {
  if (!messages.some(({ role }) => role === 'system')) return messages;
  const converted: Message[] = [];
  let heldBack: Message[] = [];
  for (const message of messages) {
    if (message.role === 'system') {
      const marked = markedAsSystem(message);
      if (hasCalls(converted.at(-1))) heldBack.push(marked);
      else converted.push(marked);
      continue;
    }
    converted.push(message);
    if (heldBack.length > 0) append(converted, heldBack);
    heldBack = [];
  }
  return [...converted, ...heldBack];
}

function hasCalls(message: Message | undefined): boolean {
  const { role, content } = message ?? {};
  return role === 'assistant' && Array.isArray(content) && content.some(({ type }) => type === 'tool_use');
}

/** Converts a system message to a user message with <system> tags. */
export function markedAsSystem({ content, ...message }: Message): Message {
  const blocks = asBlocks(content);
  const marked = blocks.map((block) =>
    block.type === 'text' ? { ...block, text: `<system>\n${String(block['text'])}\n</system>` } : block,
  );
  return { ...message, role: 'user', content: marked };
}
