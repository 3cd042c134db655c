/** The messages of a chat, and the conversation of the Messages API that says the same. */

import * as z from 'zod';
import { cacheControl, optionalField } from '../../messages/field-kinds.ts';
import { boundedList } from '../../messages/list-of.ts';
import type { Block, Message } from '../../messages/types.ts';
import { ArgumentReader } from '../call-arguments.ts';
import type { ClientMessagePosition } from '../field-names.ts';
import { assistantParts, partBlock, toolResultParts, systemParts, userParts } from './parts.ts';
import { reasoningDetails, thinkingBlocks } from './reasoning-details.ts';

/** More than the longest conversations of agents have. */
const MAX_MESSAGES = 20_000;
const MAX_CALLS = 1_024;

const names = (parts: readonly { shape: { type: { value: string } } }[]) =>
  parts.map(({ shape }) => shape.type.value).join(', ');

function contentOf<Parts extends readonly [z.ZodObject, ...z.ZodObject[]]>(parts: Parts) {
  const allowed = names(parts as unknown as Parameters<typeof names>[0]);
  const part = z.discriminatedUnion('type', parts as unknown as [z.core.$ZodTypeDiscriminable], {
    error: (issue) => (issue.code === 'invalid_union' ? `must be one of ${allowed}` : undefined),
  }) as unknown as z.ZodType<z.output<Parts[number]>>;
  return z.union([z.string(), boundedList(part)], { error: 'must be a string or an array of parts' });
}

const name = optionalField(z.string()).meta({
  description: 'A name of the author. It is accepted, and not passed on, because most providers take none.',
});

const instructions = {
  content: contentOf(systemParts).meta({ description: 'The instructions: a text, or a list of text parts.' }),
  name,
};
const systemMessage = z.object({ role: z.literal('system'), ...instructions });
const developerMessage = z.object({ role: z.literal('developer'), ...instructions });

const userMessage = z.object({
  role: z.literal('user'),
  content: contentOf(userParts).meta({ description: 'The words of the user: a text, or a list of parts.' }),
  name,
});

const functionCall = z.object({
  id: z.string().min(1).meta({ description: 'The id of the call; the result of the tool refers to it.' }),
  type: optionalField(z.literal('function', 'must be "function": no other calls are made here')).meta({
    description: 'The kind of the call, which is always `function`.',
  }),
  function: z
    .object({
      name: z.string().min(1).meta({ description: 'The name of the function.' }),
      arguments: z.string().meta({ description: 'The arguments of the call, as a text of JSON.' }),
    })
    .meta({ description: 'The function that was called.' }),
});

/** An answer of ours has more members than these; they may come back with it, and say nothing more. */
const assistantMessage = z.object({
  role: z.literal('assistant'),
  content: optionalField(contentOf(assistantParts)).meta({
    description: 'The words of the model: a text, or a list of text parts.',
  }),
  refusal: optionalField(z.string()).meta({ description: 'The words with which the model has refused.' }),
  tool_calls: optionalField(boundedList(functionCall, { max: MAX_CALLS })).meta({
    description: 'The functions that the model has called.',
  }),
  reasoning: optionalField(z.string()).meta({
    description: 'The thinking of the model as text; it is read if `reasoning_details` is absent.',
  }),
  reasoning_content: optionalField(z.string()).meta({ description: 'The same as `reasoning`, under its other name.' }),
  reasoning_details: reasoningDetails.meta({
    description:
      'The thinking of the model as its answer had it. Send it back unchanged, so that the model can go on from it.',
  }),
  function_call: optionalField(z.never('is the older form: send tool_calls')).meta({
    description: 'This field is refused: send `tool_calls` instead.',
  }),
  name,
});

const toolMessage = z.object({
  role: z.literal('tool'),
  tool_call_id: z.string().min(1).meta({ description: 'The id of the call that this is the result of.' }),
  content: contentOf(toolResultParts).meta({ description: 'The result of the call: a text, or a list of parts.' }),
  name,
  cache_control: cacheControl.meta({ description: 'Asks the provider to cache the prompt up to this result.' }),
});

const chatMessage = z.discriminatedUnion(
  'role',
  [systemMessage, developerMessage, userMessage, assistantMessage, toolMessage],
  { error: (issue) => (issue.code === 'invalid_union' ? ROLE_RULE : undefined) },
);
const ROLE_RULE = 'must be one of system, developer, user, assistant, tool';
export type SentChatMessage = z.output<typeof chatMessage>;
type AssistantMessage = z.output<typeof assistantMessage>;
type ToolMessage = z.output<typeof toolMessage>;

export const chatMessages = boundedList(chatMessage, { min: 1, max: MAX_MESSAGES }).meta({
  description: 'The conversation so far, with the oldest message first.',
});

interface Conversation {
  /** The instructions before the conversation. */
  system: Block[];
  messages: Message[];
  /** The place in the chat of each message. */
  origins: ClientMessagePosition[];
}

/** Instructions at the beginning are the system prompt; a chat of nothing else is said by the user. */
export function chatConversation(chat: readonly SentChatMessage[]): Conversation {
  const saysSystem = ({ role }: SentChatMessage) => role === 'system' || role === 'developer';
  const firstSaid = chat.findIndex((message) => !saysSystem(message));
  const begin = firstSaid === -1 ? chat.length - 1 : firstSaid;
  const conversation: Conversation = {
    system: chat.slice(0, begin).flatMap(({ content }) => blocksOf(content)),
    messages: [],
    origins: [],
  };
  const reader = new ArgumentReader();
  let results: Block[] | undefined;
  for (const [offset, message] of chat.slice(begin).entries()) {
    if (message.role === 'tool' && results) {
      results.push(resultBlock(message));
      continue;
    }
    results = message.role === 'tool' ? [resultBlock(message)] : undefined;
    const said = results ? { role: 'user' as const, content: results } : spoken(message as Spoken, reader);
    if (said.content.length === 0) continue;
    conversation.messages.push(firstSaid === -1 ? { ...said, role: 'user' } : said);
    const hasParts = message.role === 'user' && typeof message.content !== 'string';
    conversation.origins.push({ at: begin + offset, hasParts });
  }
  return conversation;
}

type Spoken = Exclude<SentChatMessage, ToolMessage>;

function spoken(message: Spoken, reader: ArgumentReader): Message {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: blocksOf(message.content) };
    case 'user':
      return {
        role: 'user',
        content: typeof message.content === 'string' ? message.content : blocksOf(message.content),
      };
    case 'assistant':
      return { role: 'assistant', content: assistantBlocks(message, reader) };
  }
}

type Content = SentChatMessage['content'];

function blocksOf(content: Content): Block[] {
  if (content === null || content === undefined || content === '') return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(partBlock);
}

/** Thinking comes first, then what was said, then the calls: the convention keeps no other order. */
function assistantBlocks(message: AssistantMessage, reader: ArgumentReader): Block[] {
  const { content, refusal, tool_calls: calls } = message;
  const said = blocksOf(content);
  return [
    ...thinkingOf(message),
    ...(said.length === 0 && refusal ? [{ type: 'text', text: refusal }] : said),
    ...(calls ?? []).map(({ id, function: { name: called, arguments: text } }) => ({
      type: 'tool_use',
      id,
      name: called,
      input: reader.read(text),
    })),
  ];
}

function thinkingOf(message: AssistantMessage): Block[] {
  const { reasoning_details: details, reasoning, reasoning_content: content } = message;
  if (details?.length) return thinkingBlocks(details);
  const text = reasoning || content;
  return text ? [{ type: 'thinking', thinking: text, signature: '' }] : [];
}

function resultBlock({ tool_call_id: id, content, cache_control: cache }: ToolMessage): Block {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: typeof content === 'string' ? content : content.map(partBlock),
    ...(cache ? { cache_control: cache } : {}),
  };
}
