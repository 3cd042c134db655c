import { invalidRequest } from '../platform/errors.ts';
import type { PrivacyChange } from '../store/privacy.ts';

/**
 * A rule about a provider that does not exist would silently not protect anybody.
 * @throws {GatewayError} 400 with the ids that exist
 */
export function checkProviders(providerIds: readonly string[], privacy: PrivacyChange | null | undefined): void {
  for (const field of ['allowedProviders', 'ignoredProviders'] as const) {
    const unknown = privacy?.[field]?.find((id) => !providerIds.includes(id));
    if (unknown === undefined) continue;
    throw invalidRequest(
      `privacy.${field}`,
      `there is no provider "${unknown.slice(0, 64)}"; there are: ${providerIds.join(', ')}`,
    );
  }
}
