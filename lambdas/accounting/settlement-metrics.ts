import { writeMetrics, type Measured } from '../platform/metrics.ts';
import { generationTimeMs } from '../platform/ids.ts';
import type { Settlement } from './settlement.ts';

export interface MeasuredSettlement {
  settlement: Settlement;
  sentAtMs: number;
  isCorrection: boolean;
}

/** Writes the metrics of a batch of settlements. */
export function measureSettlements(made: readonly MeasuredSettlement[], atMs: number): void {
  if (made.length === 0) return;
  const outcomes = made.map(({ settlement }) => settlement.outcome);
  writeMetrics({
    Settled: made.length,
    Corrected: made.filter(({ isCorrection }) => isCorrection).length,
    Estimated: outcomes.filter(({ estimated }) => estimated).length,
    Capped: outcomes.filter(({ capped }) => capped).length,
    CostRub: outcomes.map(({ cost }) => Number(cost.toString())),
    HeldRub: made.map(({ settlement }) => Number(settlement.hold.amount.toString())),
    OverheadMs: outcomes.flatMap(({ overheadMs }) => overheadMs ?? []),
    InputTokens: outcomes.map(({ promptTokens }) => promptTokens),
    OutputTokens: outcomes.map(({ completionTokens }) => completionTokens),
    SettlementLagMs: made.map(({ sentAtMs }) => Math.max(0, atMs - sentAtMs)),
  });
  const byProvider = Map.groupBy(made, ({ settlement }) => settlement.outcome.providerName);
  for (const [provider, own] of byProvider) writeMetrics(timesOf(own), { provider });
}

function timesOf(made: readonly MeasuredSettlement[]): Measured<'provider'> {
  const outcomes = made.map(({ settlement }) => settlement.outcome);
  return {
    Settled: made.length,
    FirstEventMs: outcomes.flatMap(({ latencyMs }) => latencyMs ?? []),
    AnswerMs: outcomes.flatMap(({ generationTimeMs: durationMs }) => durationMs ?? []),
  };
}

/** Returns the time at which the message was sent or, if unknown, the time of the request's admission. */
export function sentAt(sentTimestamp: string | undefined, { generationId }: Settlement): number {
  const sentAtMs = Number(sentTimestamp);
  return Number.isFinite(sentAtMs) && sentAtMs > 0 ? sentAtMs : generationTimeMs(generationId)!;
}
