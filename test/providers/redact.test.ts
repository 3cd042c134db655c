import { describe, expect, it } from 'vitest';
import { redact } from '../../lambdas/providers/redact.ts';

const secrets = { credential: 'acme-secret-1', baseUrl: 'https://models.acme.example:8443/v1' };

describe('the message of a provider', () => {
  it.each([
    ['the credential', 'bad key acme-secret-1, yes acme-secret-1!', 'bad key [hidden], yes [hidden]!'],
    [
      'an access token that was exchanged for the credential',
      'bad Authorization: Bearer ya29.a0AfB_byDexample-Q~1/+==, sorry',
      'bad Authorization: Bearer [hidden], sorry',
    ],
    ['the address of the provider', 'POST https://models.acme.example:8443/v1/x', 'POST [hidden]/v1/x'],
    ['its host alone', 'no route to models.acme.example:8443', 'no route to [hidden]'],
    ['an address of this machine', 'connect 127.0.0.1:8080 failed', 'connect [hidden] failed'],
    ['private networks', 'via 10.1.2.3, 192.168.0.1 and 172.31.255.1', 'via [hidden], [hidden] and [hidden]'],
    ['shared and link-local ones', 'via 100.64.0.1 and 169.254.169.254', 'via [hidden] and [hidden]'],
    ['addresses of IPv6', 'at [::1]:80 and [fd00:12::1]/x', 'at [hidden] and [hidden]'],
    ['a whole URL with its user', 'see http://user:pass@10.0.0.1:99/a?b=c now', 'see [hidden] now'],
    ['names inside a network', 'db.prod.internal and svc.cluster.local', '[hidden] and [hidden]'],
    ['localhost', 'http://localhost:3000/health', '[hidden]'],
  ])('does not contain %s', (_what, words, shown) => {
    expect(redact(words, secrets)).toBe(shown);
  });

  it.each([
    'max_tokens: 4096 > 2048, see https://docs.acme.example/limits',
    'version 1.10.0.1 of 172.15.0.1 and 100.128.0.1 at 8.8.8.8',
    'local models and internal errors',
    'send a Bearer token, Basic authentication is over',
  ])('is otherwise unchanged: %s', (words) => {
    expect(redact(words, secrets)).toBe(words);
  });

  it.each([
    ['its id', 'The access key AKIAEXAMPLE0 does not exist'],
    ['its secret', 'signed with c2VjcmV0a2V5'],
    ['its session token', 'x-amz-security-token: IQoJb3JpZ2lu'],
    ['all of it', 'AKIAEXAMPLE0:c2VjcmV0a2V5:IQoJb3JpZ2lu'],
  ])('does not contain a part of an access key: %s', (_what, words) => {
    const shown = redact(words, { ...secrets, credential: 'AKIAEXAMPLE0:c2VjcmV0a2V5:IQoJb3JpZ2lu' });

    expect(shown).toContain('[hidden]');
    expect(shown).not.toMatch(/AKIA|c2Vj|IQoJ/);
  });

  it('keeps ordinary words if a credential is too short', () => {
    expect(redact('no such model', { ...secrets, credential: 'model' })).toBe('no such model');
  });

  it('is passed on also without a credential', () => {
    expect(redact('no', { ...secrets, credential: undefined })).toBe('no');
  });

  it('has at most 2000 characters', () => {
    const shown = redact('x'.repeat(2_001), secrets);

    expect(shown).toBe(`${'x'.repeat(2_000)}…`);
    expect(redact('x'.repeat(2_000), secrets)).toHaveLength(2_000);
  });

  it('does not contain a credential that begins before the cut', () => {
    const words = `${'x'.repeat(1_995)}acme-secret-1`;

    expect(redact(words, secrets)).not.toContain('acme-');
  });

  it('does not contain a part of the credential after a long hidden address', () => {
    const address = `http://x.internal/${'x'.repeat(3_970)}`;

    expect(redact(`${address} acme-secret-1`, secrets)).toBe('[hidden] [hidden]');
  });
});
