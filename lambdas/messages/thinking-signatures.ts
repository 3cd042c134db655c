import type { Block, Message } from './types.ts';

/**
 * Thinking comes back with a conversation, and only the family of models that signed it takes its signature. What
 * Anthropic signed carries Anthropic's signature; all other thinking carries one of the gateway's own, which says who may
 * have it back: `gw1.<family>`, and behind that, where the provider signs by itself, `.<its signature>`.
 */
const OWN_PREFIX = 'gw1.';

export function ownSignature(family: string, signature?: string): string {
  return signature === undefined ? `${OWN_PREFIX}${family}` : `${OWN_PREFIX}${family}.${signature}`;
}

export function isOwnThinking(block: Block): boolean {
  if (block.type !== 'thinking') return false;
  const signature = block['signature'];
  return typeof signature !== 'string' || signature === '' || signature.startsWith(OWN_PREFIX);
}

/** Messages for Anthropic: without thinking that it did not sign. A message that had nothing else is left out. */
export function withoutOwnThinking(messages: Message[]): Message[] {
  return mapBlocks(messages, (block) => (isOwnThinking(block) ? undefined : block));
}

/** Messages for a provider that signs by itself: its own thinking as it signed it, and nobody else's. */
export function thinkingOf(family: string, messages: Message[]): Message[] {
  const prefix = `${OWN_PREFIX}${family}.`;
  return mapBlocks(messages, (block) => {
    if (block.type === 'redacted_thinking') return undefined;
    if (block.type !== 'thinking') return block;
    const signature = block['signature'];
    return typeof signature === 'string' && signature.startsWith(prefix)
      ? { ...block, signature: signature.slice(prefix.length) }
      : undefined;
  });
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
