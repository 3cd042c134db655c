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

/** A request to one candidate before it is sent. The connection may already be opening. */
export interface Attempt extends Offer {
  candidate: Candidate;
  /** Upper bound on the charge at this candidate. */
  quote: Quote;
  /** The message, with the default parameters of the candidate's model. */
  message: MessagesRequest;
  /**
   * Encodes the request in the candidate's format. Unless searches extend the message, only the first attempt may keep
   * its encoded body in memory. Bodies may be large, and most later attempts are never sent.
   */
  encode: () => WireRequest;
  /** Encodes another message in the candidate's format. */
  encodeOther: (message: MessagesRequest) => WireRequest;
  upstream?: UpstreamRequest;
  /** Names of request fields that are not sent to this candidate. */
  leftOut: readonly string[];
}

/** An answer that has begun: the index of its attempt, and all its batches of events. */
export interface Dispatched {
  index: number;
  batches: PullIterator<AnswerBatch>;
}

/**
 * Sends the request to one candidate after the other until an answer begins. After a failure before the first event,
 * the next candidate is tried by the rules of `withFailover`. A later failure ends the answer.
 * @throws {ProviderFailure} the last failure on which the client can act, or else the last failure
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
 * Logs and counts a request whose encrypted reasoning was dropped, because the provider could not read it. This may
 * happen after a change of the operator's account or the provider's keys. If it is frequent, an operator should
 * investigate.
 */
function noteDroppedReasoning({ endpoint, model }: Candidate, requestId: string): void {
  const provider = endpoint.provider.id;
  log('warn', 'sealed reasoning dropped', { requestId, provider, model: model.id });
  writeMetrics({ ReasoningDropped: 1 }, { provider });
}
