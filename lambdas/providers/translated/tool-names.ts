/**
 * Converts tool names that the provider rejects to derived names, the same in every request, and back in the answer.
 */

import { shortToolName } from '../../messages/tool-names.ts';
import type { Block, Message, MessagesRequest } from '../../messages/types.ts';

const toolNameRules = {
  any: /^[a-zA-Z0-9_-]{1,64}$/,
  /** GigaChat, Moonshot and some services of Google require that the first character is a letter. */
  letterFirst: /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/,
  /** Anthropic's own service and Google Cloud allow up to 128 characters. */
  messages: /^[a-zA-Z0-9_-]{1,128}$/,
} as const;
export type ToolNameRule = keyof typeof toolNameRules;

function sentName(name: string, rule: ToolNameRule): string {
  return toolNameRules[rule].test(name) ? name : shortToolName(name);
}

/** Returns the request with the tool names that the provider accepts. */
export function withSentNames(request: MessagesRequest, rule: ToolNameRule): MessagesRequest {
  const { tools, tool_choice: choice, messages } = request;
  if (![...toolNamesIn(request)].some((name) => sentName(name, rule) !== name)) return request;
  return {
    ...request,
    ...(tools ? { tools: tools.map((tool) => ({ ...tool, name: tool.name && sentName(tool.name, rule) })) } : {}),
    ...(choice?.name ? { tool_choice: { ...choice, name: sentName(choice.name, rule) } } : {}),
    messages: messages.map((message) =>
      mapCalls(message, (call) => ({ ...call, name: sentName(wireToolName(call), rule) })),
    ),
  };
}

/** Returns the client's own name of each tool that is sent with a derived name, by derived name. */
export function changedNames({ tools }: MessagesRequest, rule: ToolNameRule): ReadonlyMap<string, string> {
  const names = (tools ?? []).flatMap(({ name }) => (name ? [[sentName(name, rule), name] as const] : []));
  return new Map(names.filter(([sent, own]) => sent !== own));
}

function* toolNamesIn({ tools, tool_choice: choice, messages }: MessagesRequest): Generator<string> {
  for (const { name } of tools ?? []) if (name) yield name;
  if (choice?.name) yield choice.name;
  for (const { content } of messages) {
    if (typeof content === 'string') continue;
    for (const block of content) if (block.type === 'tool_use') yield wireToolName(block);
  }
}

const wireToolName = (call: Block): string => call['name'] as string;

function mapCalls(message: Message, change: (call: Block) => Block): Message {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map((block) => (block.type === 'tool_use' ? change(block) : block)) };
}
