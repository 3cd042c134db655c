import { asBlocks } from './as-blocks.ts';
import { append } from '../platform/append.ts';
import type { Message, MessagesRequest } from './types.ts';
import { without } from './without.ts';

/**
 * An instruction. With `clear_at: "next_user_message"`, it applies only until the next message of the user; the other
 * value is "never" (https://openrouter.ai/docs/client-sdks/typescript/models/anthropicsystemclearat.md). With
 * `output_config`, it also sets the effort.
 */
type Instruction = Message & { clear_at?: unknown; output_config?: unknown };

/**
 * Moves the instructions at the beginning into the system prompt, and converts later ones to user messages, for models
 * that accept instructions only at the beginning.
 */
export function withInstructionsFirst(requested: MessagesRequest): MessagesRequest {
  const request = withLeadingInstructions(requested);
  return { ...request, messages: withoutSystemMessages(request.messages) };
}

/**
 * Moves the instructions before the first other message into the system prompt, which has no place for the members of
 * an `Instruction`. If there are only instructions, they stay messages, because the model needs a message to answer.
 */
export function withLeadingInstructions(request: MessagesRequest): MessagesRequest {
  const { messages, system = [] } = request;
  const begin = messages.findIndex((message) => !isPlainInstruction(message));
  if (begin < 1) return request;
  const first = messages.slice(0, begin).flatMap(({ content }) => asBlocks(content));
  return { ...request, system: [...asBlocks(system), ...first], messages: messages.slice(begin) };
}

function isPlainInstruction({ role, content, clear_at: end, output_config: output }: Instruction): boolean {
  if (role !== 'system' || end != null || output != null) return false;
  return typeof content === 'string' || (content.length > 0 && content.every(({ type }) => type === 'text'));
}

/** Removes instructions that no longer apply, and the member `clear_at` of the others. */
export function withoutExpired(messages: Message[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return messages.flatMap((message: Instruction, index) => {
    if (message.clear_at == null) return [message];
    return message.clear_at === 'next_user_message' && index < last ? [] : [without(message, 'clear_at')];
  });
}

/**
 * Converts system messages to user messages with <system> tags. A system message between a call and its results is
 * moved after the results, which must directly follow the call.
 */
export function withoutSystemMessages(messages: Message[]): Message[] {
  if (!messages.some(({ role }) => role === 'system')) return messages;
  const converted: Message[] = [];
  let heldBack: Message[] = [];
  for (const message of withoutExpired(messages)) {
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
export function markedAsSystem(message: Message): Message {
  const blocks = asBlocks(message.content);
  const marked = blocks.map((block) =>
    block.type === 'text' ? { ...block, text: `<system>\n${String(block['text'])}\n</system>` } : block,
  );
  return { ...without<Instruction>(message, 'clear_at'), role: 'user', content: marked };
}
