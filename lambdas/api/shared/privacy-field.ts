import { z } from 'zod';
import type { Catalog } from '../../catalog/catalog.ts';
import { invalidRequest } from '../../platform/errors.ts';
import type { PrivacyChange } from '../../store/privacy.ts';

const MAX_PROVIDERS = 100;

const providerIds = z
  .array(z.string().min(1).max(64), { error: 'must be a list of provider ids' })
  .max(MAX_PROVIDERS)
  .nullish()
  .meta({ description: 'Ids of providers; an empty list or null means no rule.', example: ['anthropic'] });

/** Privacy settings in a body: merged field by field, null clears. */
export const privacyField = z
  .strictObject({
    blockLogging: z.boolean().nullish(),
    blockTraining: z.boolean().nullish(),
    allowedProviders: providerIds,
    ignoredProviders: providerIds,
  })
  .nullish()
  .meta({ description: 'Which providers may see prompts. null clears all settings.' });

/**
 * A rule about a provider that does not exist would silently not protect anybody.
 * @throws {GatewayError} 400 with the ids that exist
 */
export function checkProviders(catalog: Catalog, privacy: PrivacyChange | null | undefined): void {
  for (const field of ['allowedProviders', 'ignoredProviders'] as const) {
    const unknown = privacy?.[field]?.find((id) => !catalog.providerIds.includes(id));
    if (unknown === undefined) continue;
    throw invalidRequest(
      `privacy.${field}`,
      `there is no provider "${unknown.slice(0, 64)}"; there are: ${catalog.providerIds.join(', ')}`,
    );
  }
}
