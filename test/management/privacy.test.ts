import { describe, expect, it } from 'vitest';
import { changedPrivacy } from '../../lambdas/management/privacy.ts';
import { noPrivacyLimits } from '../../lambdas/store/accounts/privacy.ts';

const context = { providerIds: async () => ['acme', 'other'] };

describe('a change of privacy settings', () => {
  it('names providers that exist', async () => {
    expect(await changedPrivacy(context, noPrivacyLimits, { allowedProviders: ['acme'] })).toMatchObject({
      version: 1,
      allowedProviders: ['acme'],
    });
  });

  it.each(['allowedProviders', 'ignoredProviders'])(
    'is refused where %s names another, with those that exist',
    async (field) => {
      await expect(changedPrivacy(context, noPrivacyLimits, { [field]: ['acme', 'acmee'] })).rejects.toThrow(
        `privacy.${field}: there is no provider "acmee"; the providers are acme, other`,
      );
    },
  );

  it('names none where nobody says which there are', async () => {
    await expect(changedPrivacy({}, noPrivacyLimits, { ignoredProviders: ['acme'] })).rejects.toThrow(
      'there is no provider "acme"',
    );
  });

  it.each([undefined, {}, { allowedProviders: null }])(
    'that changes nothing leaves the version: %j',
    async (change) => {
      expect(await changedPrivacy(context, noPrivacyLimits, change)).toBe(noPrivacyLimits);
    },
  );
});
