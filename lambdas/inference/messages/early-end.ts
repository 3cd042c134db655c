import type { MessageDelta } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import type { Ending } from '../../store/generations/outcome.ts';

/** Why an answer ends early, and the failure that the client gets with it. */
export type Stop =
  /** It has reached its maximum length, as at max_tokens. */
  { ending: 'complete' } | { ending: Exclude<Ending, 'complete'>; failure: GatewayError };

/** The last event of an answer that ends early: the same as at max_tokens. */
export function earlyEnding(stop: Stop): MessageDelta {
  const delta = { stop_reason: 'max_tokens', stop_sequence: null } as const;
  const ending: MessageDelta = { type: 'message_delta', delta, usage: {} };
  return stop.ending === 'complete' ? ending : withReason(ending, stop.failure);
}

/** The ending of an answer that reached its max_tokens. If the money limited them, the ending says so. */
export function withShortening(ending: MessageDelta, shortened: GatewayError | undefined): MessageDelta {
  return ending.delta.stop_reason === 'max_tokens' && shortened ? withReason(ending, shortened) : ending;
}

function withReason(ending: MessageDelta, { kind, message, metadata }: GatewayError): MessageDelta {
  return { ...ending, metadata: { error_type: kind, message, ...metadata } };
}
