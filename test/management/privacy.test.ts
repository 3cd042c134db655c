import { describe, expect, it } from 'vitest';
import { changedPrivacy } from '../../lambdas/management/privacy.ts';
import { noPrivacyLimits } from '../../lambdas/store/accounts/privacy.ts';

const context = { providerIds: async () => ['acme', 'other'] };

describe('a change of privacy settings', () => {
  it('accepts existing providers', async () => {
    expect(await changedPrivacy(context, noPrivacyLimits, { allowedProviders: ['acme'] })).toMatchObject({
      version: 1,
      allowedProviders: ['acme'],
    });
  });

  it.each(['allowedProviders', 'ignoredProviders'])(
    'is refused if %s names an unknown provider, with the list of providers',
    async (field) => {
      await expect(changedPrivacy(context, noPrivacyLimits, { [field]: ['acme', 'acmee'] })).rejects.toThrow(
        `privacy.${field}: there is no provider "acmee"; the providers are acme, other`,
      );
    },
  );

  it('is refused without a list if the providers are unknown', async () => {
    await expect(changedPrivacy({}, noPrivacyLimits, { ignoredProviders: ['acme'] })).rejects.toThrow(
      'there is no provider "acme"',
    );
  });

  it.each([undefined, {}, { allowedProviders: null }])('without a difference keeps the version: %j', async (change) => {
    expect(await changedPrivacy(context, noPrivacyLimits, change)).toBe(noPrivacyLimits);
  });
});
