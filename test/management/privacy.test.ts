import { describe, expect, it } from 'vitest';
import { changedPrivacy } from '../../lambdas/management/privacy.ts';
import { noPrivacyLimits } from '../../lambdas/store/privacy.ts';

const context = { providerIds: () => ['acme', 'other'] };

describe('a change of privacy settings', () => {
  it('names providers that exist', () => {
    expect(changedPrivacy(context, noPrivacyLimits, { allowedProviders: ['acme'] })).toMatchObject({
      version: 1,
      allowedProviders: ['acme'],
    });
  });

  it.each(['allowedProviders', 'ignoredProviders'])(
    'is refused where %s names another, with those that exist',
    (field) => {
      expect(() => changedPrivacy(context, noPrivacyLimits, { [field]: ['acme', 'acmee'] })).toThrow(
        `privacy.${field}: there is no provider "acmee"; there are: acme, other`,
      );
    },
  );

  it('names none where nobody says which there are', () => {
    expect(() => changedPrivacy({}, noPrivacyLimits, { ignoredProviders: ['acme'] })).toThrow(
      'there is no provider "acme"',
    );
  });

  it.each([undefined, {}, { allowedProviders: null }])('that changes nothing leaves the version: %j', (change) => {
    expect(changedPrivacy(context, noPrivacyLimits, change)).toBe(noPrivacyLimits);
  });
});
