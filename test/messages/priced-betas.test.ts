import { describe, expect, it } from 'vitest';
import { refusedBeta } from '../../lambdas/messages/priced-betas.ts';

describe('a beta', () => {
  it('is refused by its name, the first beta with its own price', () => {
    expect(refusedBeta(['effort-2025-11-24', 'web-fetch-2025-09-10', 'skills-2025-10-02'])?.message).toMatch(
      /^"web-fetch-2025-09-10" changes the provider’s price/,
    );
  });

  it.each(['skills-'.padEnd(201, 'x'), 'бета', 'a\nb'])('is refused if it cannot be sent as a header', (name) => {
    expect(refusedBeta([name])?.message).toBe('must have at most 200 characters, all printable ASCII');
  });

  it('for threads is refused with the message after which the official clients continue without it', () => {
    expect(refusedBeta(['message-threads-2026-08-12'])?.details).toEqual({
      error_code: 'thread_unsupported_request',
      unsupported: ['thread'],
    });
  });

  it('is accepted if its name only contains the name of a priced beta', () => {
    expect(refusedBeta(['no-fast-mode-2026-02-01', ''])).toBeUndefined();
  });

  it("is accepted if clients name it with the gateway's own search", () => {
    expect(refusedBeta(['code-execution-web-tools-2026-02-09'])).toBeUndefined();
    expect(refusedBeta(['code-execution-2025-08-25'])?.message).toContain('price');
  });
});
