import { expect, it } from 'vitest';
import { authSchemes, type AuthScheme } from '../../lambdas/catalog/auth-schemes.ts';
import { authorizer } from '../../lambdas/providers/authorization/schemes.ts';

/** Headers of the schemes that send the credential unchanged. */
const plain: Partial<Record<AuthScheme, Record<string, string>>> = {
  bearer: { authorization: 'Bearer secret' },
  'api-key-authorization': { authorization: 'Api-Key secret' },
  'x-api-key': { 'x-api-key': 'secret' },
  'api-key': { 'api-key': 'secret' },
  'x-goog-api-key': { 'x-goog-api-key': 'secret' },
};

it.each(Object.entries(plain))('a provider gets its credential as %s', async (scheme, headers) => {
  const request = { url: 'https://provider.example/v1', headers: {}, body: Buffer.from('{}') };

  expect(await authorizer(scheme as AuthScheme)('secret', request, {})).toEqual(headers);
});

it('authorization has every scheme that the catalog may name', () => {
  expect(authSchemes.filter((scheme) => typeof authorizer(scheme) !== 'function')).toEqual([]);
});
