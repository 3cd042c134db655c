import { describe, expect, it } from 'vitest';
import { refusedBeta } from '../../lambdas/messages/priced-betas.ts';

describe('a beta', () => {
  it('is refused with its name, the first of those with a price of their own', () => {
    expect(refusedBeta(['effort-2025-11-24', 'web-fetch-2025-09-10', 'skills-2025-10-02'])?.message).toMatch(
      /^"web-fetch-2025-09-10" changes the provider’s price/,
    );
  });

  it('is refused with no more than the beginning of a name that is a book', () => {
    expect(refusedBeta([`skills-${'x'.repeat(1_000)}`])?.message).toMatch(/^"skills-x{93}" /);
  });

  it('of threads is refused in the words at which the official clients go on without one', () => {
    expect(refusedBeta(['message-threads-2026-08-12'])?.details).toEqual({
      error_code: 'thread_unsupported_request',
      unsupported: ['thread'],
    });
  });

  it('that only has such a name in its middle is none', () => {
    expect(refusedBeta(['no-fast-mode-2026-02-01', ''])).toBeUndefined();
  });
});
