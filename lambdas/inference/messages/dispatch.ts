import type { Quote } from '../../admission/spending-plan.ts';
import type { AnswerBatch, MessagesRequest } from '../../messages/types.ts';
import { log } from '../../platform/logger.ts';
import { writeMetrics } from '../../platform/metrics.ts';
import type { PullIterator } from '../../platform/concurrency/pull-iterator.ts';
import type { UpstreamRequest } from '../../providers/http/upstream-http.ts';
import type { WireRequest } from '../../providers/wire.ts';
import { beginAnswer } from '../../routing/begin-answer.ts';
import type { Candidate } from '../../routing/candidates.ts';
import { connect } from '../../routing/connection.ts';
import { readableAfter } from '../../routing/readable-request.ts';
import { withFailover, type FailoverOptions, type Offer } from '../failover.ts';

export interface Attempt extends Offer {
  candidate: Candidate;
  quote: Quote;
  /** The message for this candidate, with default parameters and without unsupported fields. */
  message: MessagesRequest;
  /**
   * Returns the encoded request. It may be encoded again at each call, because bodies may be large, and most later
   * attempts are never sent.
   */
  encode: () => WireRequest;
  encodeOther: (message: MessagesRequest) => WireRequest;
  upstream?: UpstreamRequest;
  leftOut: readonly string[];
}

export interface Dispatched {
  index: number;
  batches: PullIterator<AnswerBatch>;
}

/**
 * Sends the request to one candidate after the other until an answer begins. A failure after the first event ends the
 * answer.
 * @throws {ProviderFailure} the failure that is most useful to the client
 */
export async function dispatch(
  attempts: readonly Attempt[],
  inTurn: FailoverOptions,
  estimatedInputTokens: number,
): Promise<Dispatched> {
  const { signal, log: attemptLog } = inTurn;
  const begin = async (attempt: Attempt) => {
    const { index, candidate, upstream } = attempt;
    const onSent = () => attemptLog.sent(index);
    const ask = (message: MessagesRequest, encoded: WireRequest, connection: UpstreamRequest) => {
      const { hasHiddenReasoning } = attempt;
      return beginAnswer(
        { candidate, message, estimatedInputTokens, hasHiddenReasoning, signal },
        encoded,
        connection,
        onSent,
      );
    };
    const encoded = attempt.encode();
    try {
      return await ask(attempt.message, encoded, upstream ?? connect(candidate, encoded, signal));
    } catch (error) {
      const readable = readableAfter(error, attempt.message);
      if (!readable) throw error;
      noteDroppedReasoning(candidate, inTurn.requestId);
      const again = attempt.encodeOther(readable);
      return ask(readable, again, connect(candidate, again, signal));
    }
  };
  try {
    const batches = await withFailover(attempts, begin, inTurn);
    return { index: attemptLog.index, batches };
  } finally {
    attemptLog.received();
  }
}

/**
 * Records that the request is sent again without earlier reasoning that the provider could not decrypt. A cause may be
 * a change of the operator's account or of the provider's keys.
 */
function noteDroppedReasoning({ endpoint, model }: Candidate, requestId: string): void {
  const provider = endpoint.provider.id;
  log('warn', 'sealed reasoning dropped', { requestId, provider, model: model.id });
  writeMetrics({ ReasoningDropped: 1 }, { provider });
}
