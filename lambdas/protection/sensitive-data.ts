import { invalidRequest } from '../platform/errors.ts';
import type { SensitiveData } from '../store/sensitive-data.ts';

/**
 * Fails closed: a key that asks for protection gets no request through while the gateway cannot give it.
 * @throws {GatewayError} 400
 */
export function refuseUnprotected({ enabled }: SensitiveData): void {
  if (!enabled) return;
  throw invalidRequest(
    'sensitive_data',
    'this key asks for its prompts to be protected, which this gateway cannot do yet; nothing was sent. ' +
      'Use a key without sensitive_data, or set sensitive_data.enabled of this one to false.',
  );
}
