import { describe, expect, it } from 'vitest';
import { providerError } from '../../lambdas/providers/translated/errors.ts';

describe('an error inside of a chat completion', () => {
  it.each([
    [400, 'invalid_request_error'],
    [422, 'invalid_request_error'],
    [401, 'authentication_error'],
    [413, 'request_too_large'],
    ['429', 'rate_limit_error'],
    [503, 'overloaded_error'],
    [504, 'timeout_error'],
    [529, 'overloaded_error'],
  ])('with the number %s is %s', (code, type) => {
    expect(providerError({ code, message: 'm' })).toEqual({ type, message: 'm' });
  });

  // What these mean inside of an answer is the provider's secret: it is not to be the client's fault.
  it.each([409, 412, 415, 418, 500, 502])('with the number %i is nothing but the provider’s failure', (code) => {
    expect(providerError({ code, message: 'm' }).type).toBeUndefined();
  });

  it('is what its words say before what its number says', () => {
    expect(providerError({ code: 400, type: 'rate_limit_exceeded', message: 'm' }).type).toBe('rate_limit_error');
  });
});
