import { outOfMoneyError, shortenedError, type Shortening } from '../../admission/refusal.ts';
import type { HoldRefusal } from '../../admission/hold.ts';
import type { MessageDelta } from '../../messages/types.ts';
import type { GatewayError } from '../../platform/errors.ts';
import { generationTimeMs } from '../../platform/ids.ts';
import type { Ending } from '../../store/outcome.ts';

/** Why an answer ends before its own end, and where that is to be said. */
export type Stop =
  /** It has become longer than it may be, as at max_tokens. */
  | { ending: 'complete' }
  | { ending: 'out_of_money'; refusal: HoldRefusal }
  | { ending: FailedEnding; failure: GatewayError };

/** How an answer ends that fails. */
export type FailedEnding = Exclude<Ending, 'complete' | 'out_of_money'>;

/** The last words of an answer that ends early: a model says the same when it has reached max_tokens. */
export function earlyEnding(stop: Stop, generationId: string): MessageDelta {
  const ending: MessageDelta = {
    type: 'message_delta',
    delta: { stop_reason: 'max_tokens', stop_sequence: null },
    usage: {},
  };
  switch (stop.ending) {
    case 'complete':
      return ending;
    case 'out_of_money':
      return withReason(ending, outOfMoneyError(stop.refusal, generationTimeMs(generationId)!));
    default:
      return withReason(ending, stop.failure);
  }
}

/** An answer that reached a max_tokens which only money set, says so. */
export function shortenedEnding(ending: MessageDelta, shortening: Shortening): MessageDelta {
  return withReason(ending, shortenedError(shortening));
}

function withReason(ending: MessageDelta, { kind, message, metadata }: GatewayError): MessageDelta {
  return { ...ending, metadata: { error_type: kind, message, ...metadata } };
}
