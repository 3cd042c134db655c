import { log, type LogFields } from './logger.ts';
import { writeMetrics } from './metrics.ts';

/**
 * Alerts the operator to a failure that only the operator can fix, with a log line and a metric. Ignores other faults.
 */
export function alarmOperator(
  { fault }: { fault?: string | undefined },
  about: LogFields & { provider: string },
): void {
  if (fault !== 'operator' && fault !== 'catalog') return;
  log('error', fault === 'catalog' ? 'provider does not have the model' : 'provider refuses the operator', about);
  writeMetrics({ OperatorNeeded: 1 });
  writeMetrics({ OperatorNeeded: 1 }, { provider: about.provider });
}
