/**
 * Names of tools as a provider takes them: at most 64 letters, digits, `_` and `-`, where the Messages API has 128. Another
 * name is sent as one made of it, the same in every request, and comes back as the client wrote it.
 */

import { createHash } from 'node:crypto';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';
import type { ChatTarget } from './target.ts';

type Quirks = ChatTarget['quirks'];

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** GigaChat: not a digit first. */
const FUNCTION_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const KEPT_CHARACTERS = 53;
const DIGEST_CHARACTERS = 8;

function sentName(name: string, { functions }: Quirks): string {
  if ((functions ? FUNCTION_NAME : NAME).test(name)) return name;
  const readable = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, KEPT_CHARACTERS);
  return `t_${readable}_${createHash('sha256').update(name).digest('hex').slice(0, DIGEST_CHARACTERS)}`;
}

/** The request with every tool under the name that is sent. */
export function withSentNames(request: MessagesRequest, quirks: Quirks): MessagesRequest {
  const { tools, tool_choice: choice, messages } = request;
  if (![...namesIn(request)].some((name) => sentName(name, quirks) !== name)) return request;
  return {
    ...request,
    ...(tools ? { tools: tools.map((tool) => ({ ...tool, name: tool.name && sentName(tool.name, quirks) })) } : {}),
    ...(choice?.name ? { tool_choice: { ...choice, name: sentName(choice.name, quirks) } } : {}),
    messages: messages.map((message) =>
      mapCalls(message, (call) => ({ ...call, name: sentName(nameOf(call), quirks) })),
    ),
  };
}

/** The names that were sent in the place of others, each with the client's own. */
export function changedNames({ tools }: MessagesRequest, quirks: Quirks): ReadonlyMap<string, string> {
  const names = (tools ?? []).flatMap(({ name }) => (name ? [[sentName(name, quirks), name] as const] : []));
  return new Map(names.filter(([sent, own]) => sent !== own));
}

function* namesIn({ tools, tool_choice: choice, messages }: MessagesRequest): Generator<string> {
  for (const { name } of tools ?? []) if (name) yield name;
  if (choice?.name) yield choice.name;
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const block of content) if (block.type === 'tool_use') yield nameOf(block);
  }
}

const nameOf = (call: Block): string => call['name'] as string;

function mapCalls(message: Message, change: (call: Block) => Block): Message {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map((block) => (block.type === 'tool_use' ? change(block) : block)) };
}
