/**
 * Thinking comes back with a conversation, and only the family of models that signed it accepts its signature. What
 * Anthropic signed carries Anthropic's signature; all other thinking carries one of the gateway, which says who may have
 * it back: `gw1.<family>`, and after that, where the provider signs by itself, `.<its own signature>`.
 */

import type { Block, Message } from './types.ts';

const GATEWAY_PREFIX = 'gw1.';

export function gatewaySignature(family: string, signature?: string): string {
  return signature === undefined ? `${GATEWAY_PREFIX}${family}` : `${GATEWAY_PREFIX}${family}.${signature}`;
}

/** Thinking without a signature counts as the gateway's: no provider signed it. */
export function hasGatewaySignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (signature === undefined && block.type !== 'thinking') return false;
  return typeof signature !== 'string' || signature === '' || signature.startsWith(GATEWAY_PREFIX);
}

/** Its provider has signed it, and takes it back only as it was; the gateway's own mark says nothing of the text. */
export function hasProviderSignature(block: Block): boolean {
  const signature = signatureIn(block);
  if (typeof signature !== 'string' || signature === '') return false;
  return !signature.startsWith(GATEWAY_PREFIX) || signature.indexOf('.', GATEWAY_PREFIX.length) !== -1;
}

/** Messages for Anthropic: without thinking that it did not sign. A message that had nothing else is left out. */
export function withoutGatewaySigned(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (hasGatewaySignature(block) ? undefined : block));
}

/** Messages without any thinking: for a provider that cannot read what it once signed. */
export function withoutThinking(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? undefined : block));
}

/** What a provider that signs by itself has signed, or redacted, a block of thinking with; undefined for any other block. */
export function signatureOf(family: string, block: Block): string | undefined {
  const prefix = `${GATEWAY_PREFIX}${family}.`;
  const signature = signatureIn(block);
  return typeof signature === 'string' && signature.startsWith(prefix) ? signature.slice(prefix.length) : undefined;
}

/** What signs a block of thinking, or stands for it where it is redacted; undefined for other blocks. */
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

/** Messages for a provider that signs by itself: its own thinking as it signed it, and no other. */
export function thinkingOf(family: string, messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isThinking(block) ? asSigned(family, block) : block));
}

/** Stands for thinking that there is none of: providers that ask for it refuse an empty one. */
export const NO_THINKING = ' ';

/**
 * Messages for a provider that refuses a call without the thinking before it, and does not look who signed that: its own as
 * it signed it, what the gateway can read of others without a signature, and a placeholder where there is none.
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

/** A provider's own thinking with what it had signed it with; undefined for that of any other. */
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
