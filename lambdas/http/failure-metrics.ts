/** Whose failures requests end with: a provider's are told apart from our own, by the door through which the request came. */

import { toGatewayError, type GatewayError } from '../platform/errors.ts';
import { writeMetrics, type Door } from '../platform/metrics.ts';

/** Measures a refusal that is the whole answer, with its own status. */
export function measureRefusal(refusal: GatewayError, door: Door): void {
  writeMetrics({ Refused: 1 }, { kind: refusal.kind });
  if (refusal.kind === 'server') measureFault(door);
  else if (refusal.failedProvider !== undefined && refusal.status >= 500) writeMetrics({ ProviderFailed: 1 }, { door });
}

/** Measures what ends an answer that has begun: its status has said that all is well, so that no count of 5xx has it. */
export function measureBreak(error: unknown, door: Door): void {
  const { kind, failedProvider: provider, status } = toGatewayError(error);
  if (kind === 'server') measureFault(door);
  else if (provider !== undefined && status >= 500) writeMetrics({ BrokeOff: 1 }, { provider });
}

/** Measures a request that ended with a fault of our own. */
export function measureFault(door: Door): void {
  writeMetrics({ Faults: 1 });
  writeMetrics({ Faults: 1 }, { door });
}
