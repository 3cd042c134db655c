import type { HoldKeeper } from '../../admission/hold-keeper.ts';
import type { Shortening } from '../../admission/refusal.ts';
import type { Quote } from '../../admission/spending-plan.ts';
import type { QueueSender } from '../../platform/queue.ts';
import type { Candidate } from '../../routing/candidates.ts';
import type { Dispatched } from '../../routing/dispatch.ts';
import type { Payer } from '../../store/payer.ts';
import type { Table } from '../../store/table.ts';

/** An endpoint that may answer, and what it may charge. */
export interface Attempted {
  candidate: Candidate;
  quote: Quote;
}

/** One answer, from dispatch to settlement. */
export interface AnswerContext {
  generationId: string;
  payer: Payer;
  table: Table;
  queue: QueueSender;
  keeper: HoldKeeper;
  /** In the order in which they are tried; the first is named on the record when none answers. */
  attempts: Attempted[];
  dispatched: Promise<Dispatched>;
  /**
   * The attempt that is under way, or was the last: which it is, and performance.now() at which its request had left for
   * the provider; undefined until then.
   */
  current: { index: number; sentAtMs: number | undefined };
  estimatedInputTokens: number;
  /** performance.now() at which the request came in. */
  receivedAtMs: number;
  requestId: string;
  /** The client gets events; else it gets what there is when they end. */
  streamed: boolean;
  /** Why the answer may only be shorter than was asked for. */
  shortened: Shortening | undefined;
  /** Ends the upstream's work; its reason is an AbortReason. */
  abort: AbortController;
}

/** Why the upstream's work was ended from our side. */
export type AbortReason = 'client_left' | 'out_of_time' | 'ended';
