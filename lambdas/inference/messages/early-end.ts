import { outOfMoneyError, shortenedError, type Shortening } from '../../admission/refusal.ts';
import type { HoldRefusal } from '../../admission/hold.ts';
import type { MessageDelta } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { Ending } from '../../store/outcome.ts';

/** Why an answer ends before its own end, with what the client is to read of it. */
export type Stop =
  /** It has become longer than it may be, as at max_tokens. */
  | { ending: 'complete' }
  | { ending: 'out_of_money'; refusal: HoldRefusal }
  | { ending: FailedEnding; failure: GatewayError };

/** How an answer ends that fails. */
export type FailedEnding = Exclude<Ending, 'complete' | 'out_of_money'>;

/** The last event of an answer that ends early: the same as a model sends when it has reached max_tokens. */
export function earlyEnding(stop: Stop, generationId: string): MessageDelta {
  const delta = { stop_reason: 'max_tokens', stop_sequence: null } as const;
  const ending: MessageDelta = { type: 'message_delta', delta, usage: {} };
  switch (stop.ending) {
    case 'complete':
      return ending;
    case 'out_of_money':
      return withReason(ending, outOfMoneyError(stop.refusal, generationTimeMs(generationId)!));
    default:
      return withReason(ending, stop.failure);
  }
}

/** The ending of an answer that reached its max_tokens; where money set them, it says so. */
export function withShortening(ending: MessageDelta, shortening: Shortening | undefined): MessageDelta {
  const isShortened = ending.delta.stop_reason === 'max_tokens' && shortening;
  return isShortened ? withReason(ending, shortenedError(shortening)) : ending;
}

function withReason(ending: MessageDelta, { kind, message, metadata }: GatewayError): MessageDelta {
  return { ...ending, metadata: { error_type: kind, message, ...metadata } };
}
