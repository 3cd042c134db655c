import { describe, expect, it } from 'vitest';
import type { HttpRequest } from '../../lambdas/http/request.ts';
import { etag, expectedVersion } from '../../lambdas/http/versions.ts';

const versionIn = (header: string | undefined) =>
  expectedVersion({ headers: header === undefined ? {} : { 'if-match': header } } as HttpRequest);

describe('the version in If-Match', () => {
  it('is that of the ETag', () => {
    expect(versionIn(etag(42)['etag'])).toBe(42);
  });

  it.each([undefined, '*', ' * '])('is any version for %j', (header) => {
    expect(versionIn(header)).toBeUndefined();
  });

  it.each(['42', 'W/"42"', '"42", "43"', '"x"', '""', '"-1"', '"1234567890123456"', ''])(
    'is -1, which no resource has, for %j',
    (header) => {
      expect(versionIn(header)).toBe(-1);
    },
  );
});
