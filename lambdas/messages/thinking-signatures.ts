/**
 * Signatures of thinking blocks. Thinking comes back with a conversation, and only the family of models that signed it
 * accepts its signature. Anthropic's thinking carries Anthropic's signature. All other thinking carries a signature of
 * the gateway, which names the family that may get it back: `gw1.<family>`. If the provider signs too, its own
 * signature follows: `gw1.<family>.<signature>`.
 */

import type { Block, Message } from './types.ts';

const GATEWAY_PREFIX = 'gw1.';

export function gatewaySignature(family: string, signature?: string): string {
  return signature === undefined ? `${GATEWAY_PREFIX}${family}` : `${GATEWAY_PREFIX}${family}.${signature}`;
}

/** Thinking without a signature counts as signed by the gateway: no provider signed it. */
export function hasGatewaySignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (signature === undefined && block.type !== 'thinking') return false;
  return typeof signature !== 'string' || signature === '' || signature.startsWith(GATEWAY_PREFIX);
}

/**
 * Whether the block's provider signed it, and so accepts it only unchanged. The gateway's own signature does not
 * protect the text.
 */
export function hasProviderSignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (typeof signature !== 'string' || signature === '') return false;
  return !signature.startsWith(GATEWAY_PREFIX) || signature.indexOf('.', GATEWAY_PREFIX.length) !== -1;
}

/** Messages for Anthropic, without thinking that Anthropic did not sign. A message with nothing else is omitted. */
export function withoutGatewaySigned(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (hasGatewaySignature(block) ? undefined : block));
}

/** Messages without thinking, for a provider that cannot read its own earlier signatures. */
export function withoutThinking(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? undefined : block));
}

/** The signature or redacted data of a provider that signs its own thinking; undefined for any other block. */
export function signatureOf(family: string, block: Block): string | undefined {
  const prefix = `${GATEWAY_PREFIX}${family}.`;
  const signature = signatureIn(block);
  return typeof signature === 'string' && signature.startsWith(prefix) ? signature.slice(prefix.length) : undefined;
}

/** The signature of a thinking block, or the data of a redacted one; undefined for other blocks. */
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

/** Messages for a provider that signs its own thinking: its own thinking as it signed it, and no other thinking. */
export function thinkingOf(family: string, messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? asSigned(family, block) : block));
}

/** Placeholder for missing thinking: providers that require it refuse an empty text. */
export const NO_THINKING = ' ';

/**
 * Messages for a provider that requires thinking before each call and does not check signatures. Its own thinking goes
 * back as it signed it, readable thinking of other providers without a signature. A placeholder fills in if there is
 * none.
 */
export function thinkingBeforeCalls(family: string, messages: Message[]): Message[] {
  const readable = mapBlocks(messages, (block) =>
    isThinking(block) ? (asSigned(family, block) ?? unsigned(block)) : block,
  );
  return readable.map((message) => {
    const { content } = message;
    if (typeof content === 'string' || content.some(isThinking)) return message;
    if (!content.some(({ type }) => type === 'tool_use')) return message;
    return { ...message, content: [{ type: 'thinking', thinking: NO_THINKING, signature: '' }, ...content] };
  });
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** A provider's own thinking with its original signature; undefined for thinking of any other provider. */
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
