import { log, type LogFields } from '../platform/logger.ts';
import { writeMetrics } from '../platform/metrics.ts';
import type { ProviderFailure } from '../providers/failures.ts';

/**
 * Tells the operator of a failure that only the operator can end, also where another endpoint answers: a log line, and a metric that has an
 * alarm. Any other failure is ignored.
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
