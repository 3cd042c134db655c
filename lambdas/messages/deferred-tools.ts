/**
 * Emulates tools with deferred loading (`defer_loading`). At Anthropic, the model gets a deferred tool only after the
 * client's own tool search has returned a reference to it. To other providers, the gateway sends the tool without this
 * flag, and only after the conversation contains such a reference.
 */

import type { Block, Message, MessagesRequest } from './types.ts';
import { without } from './without.ts';

/**
 * Converts a request for providers that do not support deferred tools. Returns the same request if no tool has
 * `defer_loading` and no tool search has returned references.
 */
export function withoutDeferral(request: MessagesRequest): MessagesRequest {
  const referred = referredTools(request.messages);
  const tools = request.tools ?? [];
  const isDeferring = tools.some((tool) => tool['defer_loading'] !== undefined);
  if (!isDeferring && referred.size === 0) return request;
  const loaded = tools.filter(({ name, defer_loading: isDeferred }) => isDeferred !== true || referred.has(name));
  return {
    ...request,
    ...(request.tools ? { tools: loaded.map((tool) => without(tool, 'defer_loading')) } : {}),
    ...(referred.size > 0 ? { messages: request.messages.map(withNamedReferences) } : {}),
  };
}

function referredTools(messages: Message[]): Set<unknown> {
  return new Set(
    messages
      .flatMap(resultsOf)
      .flatMap(referencesIn)
      .map(({ tool_name: name }) => name),
  );
}

function resultsOf({ content }: Message): Block[] {
  return typeof content === 'string' ? [] : content.filter(({ type }) => type === 'tool_result');
}

function referencesIn({ content }: Block): Block[] {
  return Array.isArray(content) ? (content as Block[]).filter(isReference) : [];
}

function isReference({ type }: Block): boolean {
  return type === 'tool_reference';
}

function withNamedReferences(message: Message): Message {
  if (typeof message.content === 'string') return message;
  return { ...message, content: message.content.map(namedTools) };
}

function namedTools(block: Block): Block {
  if (block.type !== 'tool_result' || referencesIn(block).length === 0) return block;
  return {
    ...block,
    content: (block['content'] as Block[]).map((inner) => (isReference(inner) ? referenceText(inner) : inner)),
  };
}

function referenceText({ tool_name: name }: Block): Block {
  return { type: 'text', text: `The tool ${JSON.stringify(name)} can be called from now on.` };
}
