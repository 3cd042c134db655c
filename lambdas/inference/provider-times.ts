import type { ProviderTime } from '../platform/provider-time.ts';
import type { Outcome } from '../store/outcome.ts';

/** What the record keeps of the gateway's own time, and of the time that providers took, in whole milliseconds. */
export function providerTimes({
  providerTime,
  receivedAtMs,
}: {
  providerTime: ProviderTime;
  receivedAtMs: number;
}): Pick<Outcome, 'overheadMs' | 'providerMs'> {
  return { overheadMs: rounded(providerTime.sinceReceipt(receivedAtMs)), providerMs: rounded(providerTime.spent()) };
}

function rounded(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds);
}
