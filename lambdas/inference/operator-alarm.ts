import { log, type LogFields } from '../platform/logger.ts';
import { writeMetrics } from '../platform/metrics.ts';
import type { ProviderFailure } from '../providers/failures.ts';

/**
 * Alerts the operator to a failure of a provider that only the operator can fix, even if another endpoint answers.
 * Writes a log line, and a metric with an alarm. Ignores other failures.
 */
export function alarmOperator(
  { fault }: Pick<ProviderFailure, 'fault'>,
  about: LogFields & { provider: string },
): void {
  if (fault !== 'operator' && fault !== 'catalog') return;
  log('error', fault === 'catalog' ? 'provider does not have the model' : 'provider refuses the operator', about);
  writeMetrics({ OperatorNeeded: 1 });
  writeMetrics({ OperatorNeeded: 1 }, { provider: about.provider });
}
