import type { Money } from '../../money/money.ts';
import type { Windows } from '../../money/periods.ts';
import type { Counter } from '../../store/counters.ts';

/** Settled spending of a key by window, in the names of the API. */
export function keyUsage(counter: Counter, windows: Windows): Record<string, Money> {
  return {
    usage: counter.spent(windows.lifetime),
    usage_daily: counter.spent(windows.daily),
    usage_weekly: counter.spent(windows.weekly),
    usage_monthly: counter.spent(windows.monthly),
  };
}
