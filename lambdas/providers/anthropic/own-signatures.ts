import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { MessagesEvent } from '../../messages/types.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/**
 * Adds a provider's id to the signatures of its thinking, unless the provider uses Anthropic's signatures. Unsigned
 * thinking, such as DeepSeek's, gets a signature of only the provider's id, because later turns require the thinking.
 */
export class OwnSignatures {
  readonly #target: WireTarget<AnthropicQuirks>;
  /** Indexes of open thinking blocks without a signature. AnswerOrder limits how many blocks may be open. */
  readonly #unsigned = new Set<number>();

  constructor(target: WireTarget<AnthropicQuirks>) {
    this.#target = target;
  }

  /**
   * Adds the provider's id to the signature in an event.
   * @returns the events for the client; an unsigned thinking block gets a signature before its end
   */
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

  /** Adds the provider's id to the `data` field of a redacted thinking block, which serves as its signature. */
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
