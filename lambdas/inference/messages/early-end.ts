import type { MessageDelta } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { Ending } from '../../store/generations/outcome.ts';

export type Stop =
  /** The answer has reached its maximum length and ends without an error, as at max_tokens. */
  { ending: 'complete' } | { ending: Exclude<Ending, 'complete'>; failure: GatewayError };

/** Returns the last `message_delta` of an answer that ends early, with the stop reason `max_tokens`. */
export function earlyEnding(stop: Stop): MessageDelta {
  const delta = { stop_reason: 'max_tokens', stop_sequence: null } as const;
  const ending: MessageDelta = { type: 'message_delta', delta, usage: {} };
  return stop.ending === 'complete' ? ending : withReason(ending, stop.failure);
}

/** Adds the reason to an ending at max_tokens, if the gateway had lowered max_tokens to fit the spending limits. */
export function withShortening(ending: MessageDelta, shortened: GatewayError | undefined): MessageDelta {
  return ending.delta.stop_reason === 'max_tokens' && shortened ? withReason(ending, shortened) : ending;
}

function withReason(ending: MessageDelta, { kind, message, metadata }: GatewayError): MessageDelta {
  return { ...ending, metadata: { error_type: kind, message, ...metadata } };
}
