import * as z from 'zod';

const MAX_PROVIDERS = 100;

const providerIds = (description: string) =>
  z
    .array(z.string().min(1).max(64), { error: 'must be a list of provider ids' })
    .max(MAX_PROVIDERS)
    .nullish()
    .meta({ description, example: ['anthropic'] });

/**
 * Change of privacy settings. A field replaces its stored value, null clears it, and absent fields keep their values.
 */
export const privacySettings = z
  .strictObject({
    blockLogging: z.boolean().nullish().meta({ description: 'With true no provider is used that keeps prompts.' }),
    blockTraining: z.boolean().nullish().meta({ description: 'With true no provider is used that trains on prompts.' }),
    allowedProviders: providerIds('Only providers with these ids may see prompts; an empty list or null allows all.'),
    ignoredProviders: providerIds('Providers with these ids are never used; an empty list or null excludes none.'),
  })
  .nullish()
  .meta({ description: 'The providers that may see prompts; null clears all settings.' });
