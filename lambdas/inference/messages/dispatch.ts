import type { Quote } from '../../admission/spending-plan.ts';
import type { AnswerBatch, MessagesRequest } from '../../messages/types.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { UpstreamRequest } from '../../providers/http/upstream-http.ts';
import type { WireRequest } from '../../providers/wire.ts';
import { beginAnswer } from '../../routing/begin-answer.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { connect } from '../../routing/connection.ts';
import { withFailover, type FailoverOptions, type Offer } from '../failover.ts';

/** A request to one candidate, perhaps connecting already, with nothing sent yet. */
export interface Attempt extends Offer {
  candidate: Candidate;
  /** The most that the candidate may charge for it. */
  quote: Quote;
  /** The request, with the defaults of the candidate's model. */
  message: MessagesRequest;
  /** The request as the candidate gets it. Only the first attempt keeps it: bodies may be large, and most others are never sent. */
  encode: () => WireRequest;
  upstream?: UpstreamRequest;
}

/** An answer that has begun: the attempt it came from, and its batches from the first on. */
export interface Dispatched {
  index: number;
  batches: PullIterator<AnswerBatch>;
}

/**
 * Sends the request to one candidate after the other until an answer begins. A failure before the first event is one of the
 * attempt; a later one is a failure of the answer.
 * @throws {ProviderFailure} of the last candidate that was tried.
 */
export async function dispatch(
  attempts: readonly Attempt[],
  inTurn: FailoverOptions,
  estimatedInputTokens: number,
): Promise<Dispatched> {
  const { signal, log } = inTurn;
  const begin = async ({ index, candidate, message, encode, upstream }: Attempt) => {
    const encoded = encode();
    const sent = { candidate, message, estimatedInputTokens };
    return beginAnswer(sent, encoded, upstream ?? connect(candidate, encoded, signal), () => log.sent(index));
  };
  try {
    const batches = await withFailover(attempts, begin, inTurn);
    return { index: log.index, batches };
  } finally {
    log.received();
  }
}
