import { describe, expect, it } from 'vitest';
import { hashSecret, maskSecret, newKeySecret, sameHash, secretFrom } from '../../lambdas/admission/credentials.ts';
import { refused } from '../support/refused.ts';

const secret = newKeySecret('inference');
const other = newKeySecret('management');

describe('a new API key', () => {
  it('has a prefix for its purpose, and random characters', () => {
    expect(secret).toMatch(/^sk-mg-v1-[0-9a-f]{64}$/);
    expect(other).toMatch(/^mk-mg-v1-[0-9a-f]{64}$/);
    expect(newKeySecret('inference')).not.toBe(secret);
  });

  it('is shown by its first and last three characters', () => {
    expect(maskSecret(`sk-mg-v1-abc${'0'.repeat(58)}xyz`)).toBe('sk-mg-v1-abc…xyz');
  });
});

describe('the hash of a key', () => {
  it('is the same for the same key and pepper only', () => {
    const hash = hashSecret('pepper', secret);

    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect([hashSecret('pepper', secret), hashSecret('salt', secret), hashSecret('pepper', other)]).toEqual([
      hash,
      expect.not.stringMatching(hash),
      expect.not.stringMatching(hash),
    ]);
  });

  it.each([
    ['ab', 'ab', true],
    ['ab', 'ac', false],
    ['ab', 'abc', false],
    ['', '', true],
  ])('%j compared with %j: %s', (a, b, isSame) => {
    expect(sameHash(a, b)).toBe(isSame);
  });
});

describe('the API key of a request', () => {
  it.each<[string, Record<string, string>]>([
    ['x-api-key', { 'x-api-key': ` ${secret} ` }],
    ['xi-api-key', { 'xi-api-key': ` ${secret} ` }],
    ['x-api-key before another xi-api-key', { 'x-api-key': secret, 'xi-api-key': other }],
    ['xi-api-key before another bearer token', { 'xi-api-key': secret, authorization: `Bearer ${other}` }],
    ['a bearer token next to a key of ElevenLabs', { 'xi-api-key': 'sk_5f0', authorization: `Bearer ${secret}` }],
    ['a bearer token', { authorization: `Bearer ${secret}` }],
    ['one of two bearer tokens', { authorization: `Bearer sk-old, Bearer ${secret}` }],
    ['the same bearer token twice', { authorization: `Bearer ${secret}, Bearer ${secret}` }],
    ['a bearer token in another spelling', { authorization: `  bearer   ${secret}  ` }],
    ['a bearer token with the word twice', { authorization: `Bearer Bearer ${secret}` }],
    ['an authorization without the word', { authorization: secret }],
    ['x-api-key with the word', { 'x-api-key': `Bearer ${secret}` }],
    ['x-api-key in quotes', { 'x-api-key': `"${secret}"` }],
    ['a bearer token in quotes', { authorization: `Bearer '${secret}'` }],
    ['x-api-key before another bearer token', { 'x-api-key': secret, authorization: `Bearer ${other}` }],
    ['a bearer token next to a key of Anthropic', { 'x-api-key': 'sk-ant-api03-x', authorization: `Bearer ${secret}` }],
    ['x-api-key next to a foreign bearer token', { 'x-api-key': secret, authorization: 'Bearer sk-ant-oat01-x' }],
    ['a bearer token next to an empty x-api-key', { 'x-api-key': '', authorization: `Bearer ${secret}` }],
  ])('is read from %s', (_where, headers) => {
    expect(secretFrom(headers)).toBe(secret);
  });

  it.each<[Record<string, string>]>([
    [{}],
    [{ authorization: `Basic ${secret}` }],
    [{ authorization: 'Bearer' }],
    [{ authorization: 'Bearer bearer ' }],
  ])('is missing, which is a 401 with advice: %j', (headers) => {
    expect(refused(() => secretFrom(headers))).toMatchObject({
      status: 401,
      message: expect.stringContaining('No API key was sent') as string,
    });
  });

  it.each([`${secret}0`, secret.slice(0, -1), secret.toUpperCase(), 'sk-or-v1-123', `x${secret}`, `${secret}\n`])(
    'is refused without a quotation if its form is wrong: %j',
    (key) => {
      const error = refused(() => secretFrom({ authorization: `Bearer ${key}.`, 'x-api-key': `${key}.` }));

      expect(error.status).toBe(401);
      expect(error.message).not.toContain(key.trim());
    },
  );
});
