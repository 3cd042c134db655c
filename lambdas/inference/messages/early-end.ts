import type { MessageDelta } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { Ending } from '../../store/generations/outcome.ts';

/** Reason why an answer ends early, and the error that the client gets in the last event. */
export type Stop =
  /** The answer has reached its maximum length. It ends without an error, like an answer that reached max_tokens. */
  { ending: 'complete' } | { ending: Exclude<Ending, 'complete'>; failure: GatewayError };

/**
 * Returns the last `message_delta` of an answer that ends early. It has the same stop reason as an answer that reached
 * max_tokens.
 */
export function earlyEnding(stop: Stop): MessageDelta {
  const delta = { stop_reason: 'max_tokens', stop_sequence: null } as const;
  const ending: MessageDelta = { type: 'message_delta', delta, usage: {} };
  return stop.ending === 'complete' ? ending : withReason(ending, stop.failure);
}

/**
 * Adds the reason to the end of an answer that stopped at max_tokens, if the gateway had lowered max_tokens to fit the
 * spending limits.
 */
export function withShortening(ending: MessageDelta, shortened: GatewayError | undefined): MessageDelta {
  return ending.delta.stop_reason === 'max_tokens' && shortened ? withReason(ending, shortened) : ending;
}

function withReason(ending: MessageDelta, { kind, message, metadata }: GatewayError): MessageDelta {
  return { ...ending, metadata: { error_type: kind, message, ...metadata } };
}
