/**
 * Metrics of failed requests. Failures of providers and faults of the gateway are counted separately, both by the entry
 * point of the request (API Gateway, function URL or server). Answers that a provider breaks off after their start are
 * counted by provider.
 */

import { toGatewayError, type GatewayError } from '../platform/errors.ts';
import { writeMetrics, type EntryPoint } from '../platform/metrics.ts';

/** Counts a refused request, whose response has an error status. */
export function measureRefusal(refusal: GatewayError, entryPoint: EntryPoint): void {
  writeMetrics({ Refused: 1 }, { kind: refusal.kind });
  if (refusal.kind === 'server') measureFault(entryPoint);
  else if (refusal.failedProvider !== undefined && refusal.status >= 500)
    writeMetrics({ ProviderFailed: 1 }, { door: entryPoint });
}

/**
 * Counts a failure that ends an answer after its start. The response already has a success status, so counts of 5xx
 * responses do not include the failure.
 */
export function measureBreak(error: unknown, entryPoint: EntryPoint): void {
  const { kind, failedProvider: provider, status } = toGatewayError(error);
  if (kind === 'server') measureFault(entryPoint);
  else if (provider !== undefined && status >= 500) writeMetrics({ BrokeOff: 1 }, { provider });
}

/** Counts a request that failed because of a fault of the gateway. */
export function measureFault(entryPoint: EntryPoint): void {
  writeMetrics({ Faults: 1 });
  writeMetrics({ Faults: 1 }, { door: entryPoint });
}
