import { toGatewayError, type GatewayError } from '../platform/errors.ts';
import { writeMetrics, type EntryPoint } from '../platform/metrics.ts';

/** Counts a response with an error status. */
export function measureRefusal(refusal: GatewayError, entryPoint: EntryPoint): void {
  writeMetrics({ Refused: 1 }, { kind: refusal.kind });
  if (refusal.kind === 'server') measureFault(entryPoint);
  else if (refusal.failedProvider !== undefined && refusal.status >= 500)
    writeMetrics({ ProviderFailed: 1 }, { door: entryPoint });
}

/** Counts a failure after the start of an answer, whose response already has a success status. */
export function measureBreak(error: unknown, entryPoint: EntryPoint): void {
  const { kind, failedProvider: provider, status } = toGatewayError(error);
  if (kind === 'server') measureFault(entryPoint);
  else if (provider !== undefined && status >= 500) writeMetrics({ BrokeOff: 1 }, { provider });
}

/** Counts a request that failed because of a fault of the gateway. */
function measureFault(entryPoint: EntryPoint): void {
  writeMetrics({ Faults: 1 });
  writeMetrics({ Faults: 1 }, { door: entryPoint });
}
