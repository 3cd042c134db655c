import { describe, expect, it } from 'vitest';
import { invalidRequest } from '../../lambdas/platform/errors.ts';
import { clientHeaders } from '../../lambdas/providers/client-headers.ts';

describe('headers of a client that providers get', () => {
  it.each([
    ['anthropic-version', '2023-06-01я'],
    ['anthropic-version', 'v'.repeat(201)],
    ['anthropic-beta', 'claude-code-20250219, бета'],
  ])('are refused by their name if Node cannot send them: %s', (name, value) => {
    expect(() => clientHeaders({ [name]: value })).toThrow(
      invalidRequest(name, 'must have at most 200 characters, all printable ASCII'),
    );
  });

  it('are sent otherwise', () => {
    expect(clientHeaders({ 'anthropic-version': '2026-10-21', 'anthropic-beta': 'a-1, b-2' })).toEqual({
      anthropicVersion: '2026-10-21',
      anthropicBeta: 'a-1, b-2',
    });
  });
});
