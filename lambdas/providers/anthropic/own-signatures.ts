import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { MessagesEvent } from '../../messages/types.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/**
 * Seals the thinking of a provider that signs by itself, so that it gets it back and nobody else does. DeepSeek wants its
 * thinking back too, although it does not sign it: what ends unsigned is sealed with an empty signature.
 */
export class OwnSignatures {
  readonly #target: WireTarget<AnthropicQuirks>;
  /** Thinking that is open, by its index; AnswerOrder bounds how many there are. */
  readonly #unsigned = new Set<number>();

  constructor(target: WireTarget<AnthropicQuirks>) {
    this.#target = target;
  }

  /** @returns the event as a client gets it, and before it what it lacked; of other providers, the same event */
  seal(event: MessagesEvent): MessagesEvent[] {
    if (!this.#target.quirks.own_signatures) return [event];
    switch (event.type) {
      case 'content_block_start':
        if (event.content_block.type === 'thinking') this.#unsigned.add(event.index);
        return [this.#sealedStart(event)];
      case 'content_block_delta':
        if (event.delta.type !== 'signature_delta') return [event];
        this.#unsigned.delete(event.index);
        return [this.#signed(event.index, event.delta.signature)];
      case 'content_block_stop':
        return this.#unsigned.delete(event.index) ? [this.#signed(event.index, ''), event] : [event];
      default:
        return [event];
    }
  }

  /** Redacted thinking has its seal at once. */
  #sealedStart(event: Extract<MessagesEvent, { type: 'content_block_start' }>): MessagesEvent {
    const { type, data } = event.content_block;
    if (type !== 'redacted_thinking' || typeof data !== 'string') return event;
    const sealed = gatewaySignature(this.#target.providerId, data);
    return { ...event, content_block: { ...event.content_block, data: sealed } };
  }

  #signed(index: number, signature: string): MessagesEvent {
    const sealed = gatewaySignature(this.#target.providerId, signature);
    return { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: sealed } };
  }
}
