import type { Block, Message } from './types.ts';

/**
 * Thinking of models that do not sign it carries a signature of ours. It tells two families of upstreams apart when a
 * conversation comes back: a signature is never sent to a family that did not make it, which would refuse the request.
 */
const OWN_PREFIX = 'gw1.';

export function ownSignature(wire: string): string {
  return `${OWN_PREFIX}${wire}`;
}

export function isOwnThinking(block: Block): boolean {
  if (block.type !== 'thinking') return false;
  const signature = block['signature'];
  return typeof signature !== 'string' || signature === '' || signature.startsWith(OWN_PREFIX);
}

/** Messages without the thinking that Anthropic did not sign. A message that had nothing else is left out. */
export function withoutOwnThinking(messages: Message[]): Message[] {
  return messages.flatMap((message) => {
    if (typeof message.content === 'string' || !message.content.some(isOwnThinking)) return [message];
    const content = message.content.filter((block) => !isOwnThinking(block));
    return content.length > 0 ? [{ ...message, content }] : [];
  });
}
