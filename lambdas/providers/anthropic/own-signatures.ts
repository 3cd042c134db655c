import { gatewaySignature } from '../../messages/thinking-signatures.ts';
import type { MessagesEvent } from '../../messages/types.ts';
import type { AnthropicQuirks } from '../../catalog/quirk-schemas.ts';
import type { WireTarget } from '../wire.ts';

/**
 * Marks thinking of a provider that signs it itself, so that only this provider gets it back. DeepSeek requires its
 * thinking too, although it does not sign it: unsigned thinking gets an empty signature.
 */
export class OwnSignatures {
  readonly #target: WireTarget<AnthropicQuirks>;
  /** Indexes of open thinking blocks without a signature. AnswerOrder limits their number. */
  readonly #unsigned = new Set<number>();

  constructor(target: WireTarget<AnthropicQuirks>) {
    this.#target = target;
  }

  /** @returns the event for the client, after a missing signature if necessary; for other providers, the same event */
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

  /** Redacted thinking carries its signature from the start. */
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
