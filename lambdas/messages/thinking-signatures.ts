/**
 * Signatures of thinking blocks. Clients send thinking back with the conversation, and a provider that checks
 * signatures accepts only its own. Anthropic's thinking has Anthropic's signature. All other thinking has a signature
 * of the gateway, `gw1.<family>`, in which the family is the provider or the wire that made the thinking. If the
 * provider also signs its thinking, its own signature follows, `gw1.<family>.<signature>`, and returns only to that
 * family. Providers that check no signatures may also get readable thinking of other families.
 */

import type { Block, Message, MessagesRequest } from './types.ts';

const GATEWAY_PREFIX = 'gw1.';

export function gatewaySignature(family: string, signature?: string): string {
  return signature === undefined ? `${GATEWAY_PREFIX}${family}` : `${GATEWAY_PREFIX}${family}.${signature}`;
}

/**
 * Returns whether the gateway signed the thinking. Thinking without a signature counts as signed by the gateway,
 * because no provider signed it.
 */
export function hasGatewaySignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (signature === undefined && block.type !== 'thinking') return false;
  return typeof signature !== 'string' || signature === '' || signature.startsWith(GATEWAY_PREFIX);
}

/**
 * Returns whether a provider signed the block, and so accepts it only unchanged. The gateway's own signature does not
 * protect the text.
 */
export function hasProviderSignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (typeof signature !== 'string' || signature === '') return false;
  return !signature.startsWith(GATEWAY_PREFIX) || signature.indexOf('.', GATEWAY_PREFIX.length) !== -1;
}

/**
 * Returns the messages for Anthropic, without thinking that Anthropic did not sign. A message with only such thinking
 * is omitted.
 */
export function withoutGatewaySigned(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (hasGatewaySignature(block) ? undefined : block));
}

/** Removes all thinking, for example after a provider could not read its own earlier signatures. */
export function withoutThinking(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? undefined : block));
}

/**
 * Removes thinking at the end of the conversation, which remains if an answer was cut off while the model thought. It
 * begins no answer, and Claude rejects it (https://github.com/router-for-me/CLIProxyAPI/issues/5321).
 * @returns the same request if it does not end with thinking, or has only one message
 */
export function withoutLooseThinking(request: MessagesRequest): MessagesRequest {
  const { messages } = request;
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || typeof last.content === 'string' || messages.length === 1) return request;
  const end = last.content.findLastIndex((block) => !isThinking(block)) + 1;
  if (end === last.content.length) return request;
  const kept = end === 0 ? [] : [{ ...last, content: last.content.slice(0, end) }];
  return { ...request, messages: [...messages.slice(0, -1), ...kept] };
}

/** Returns the original signature or redacted data, if this family signed the block; otherwise undefined. */
export function signatureOf(family: string, block: Block): string | undefined {
  const prefix = `${GATEWAY_PREFIX}${family}.`;
  const signature = signatureIn(block);
  return typeof signature === 'string' && signature.startsWith(prefix) ? signature.slice(prefix.length) : undefined;
}

/** Returns the signature of a thinking block, or the data of a redacted thinking block; undefined for other blocks. */
function signatureIn(block: Block): unknown {
  switch (block.type) {
    case 'thinking':
      return block['signature'];
    case 'redacted_thinking':
      return block['data'];
    default:
      return undefined;
  }
}

/**
 * Returns the messages for a provider with its own signatures: with its own thinking, which has its original signature
 * again, and without all other thinking.
 */
export function thinkingOf(family: string, messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? asSigned(family, block) : block));
}

/** Placeholder for missing thinking. It is not empty, because providers that require thinking reject an empty text. */
export const NO_THINKING = ' ';

/**
 * Returns whether the model may call tools, or has called some. DeepSeek then requires the thinking of every earlier
 * answer, also of answers without a call (https://api-docs.deepseek.com/guides/thinking_mode,
 * https://github.com/openclaw/openclaw/issues/73417).
 */
export function mayCallTools({ tools, messages }: MessagesRequest): boolean {
  return (
    Boolean(tools?.length) ||
    messages.some(({ content }) => typeof content !== 'string' && content.some(({ type }) => type === 'tool_use'))
  );
}

/**
 * Returns the messages for a provider that requires thinking in every answer of a request with tools, but does not
 * check signatures. Its own thinking gets its original signature back. Readable thinking that the gateway signed loses
 * its signature; other thinking is omitted. With tools, an answer without thinking gets a placeholder.
 */
export function thinkingInAnswers(family: string, request: MessagesRequest): Message[] {
  const readable = mapBlocks(request.messages, (block) =>
    isThinking(block) ? (asSigned(family, block) ?? unsigned(block)) : block,
  );
  return mayCallTools(request) ? readable.map(withSomeThinking) : readable;
}

function withSomeThinking(message: Message): Message {
  const { role, content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (role !== 'assistant' || blocks.some(isThinking)) return message;
  return { ...message, content: [{ type: 'thinking', thinking: NO_THINKING, signature: '' }, ...blocks] };
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Returns a provider's own thinking with its original signature, or undefined for thinking of any other provider. */
function asSigned(family: string, block: Block): Block | undefined {
  const signature = signatureOf(family, block);
  if (signature === undefined) return undefined;
  return { ...block, [block.type === 'thinking' ? 'signature' : 'data']: signature };
}

function unsigned(block: Block): Block | undefined {
  const isReadable = block.type === 'thinking' && block['thinking'] !== '' && hasGatewaySignature(block);
  return isReadable ? { ...block, signature: '' } : undefined;
}

function mapBlocks(messages: Message[], change: (block: Block) => Block | undefined): Message[] {
  return messages.flatMap((message) => {
    // Models may end a turn without content, and some agents store such answers
    // (https://github.com/langchain-ai/langgraph/issues/3168).
    if (message.role === 'assistant' && message.content.length === 0) return [];
    if (typeof message.content === 'string') return [message];
    const content = message.content.map(change).filter((block) => block !== undefined);
    if (
      content.length === message.content.length &&
      content.every((block, index) => block === message.content[index])
    ) {
      return [message];
    }
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}
