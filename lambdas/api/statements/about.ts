import { ok, tagged } from '../../http/about.ts';
import { statementAnswer } from './shape.ts';

const sums = {
  requests: 310,
  prompt_tokens: 102_200,
  completion_tokens: 59_810,
  reasoning_tokens: 0,
  usage: 120.375,
  cache_saved_rub: 30.612,
};

export const statements = tagged('Account', {
  'get-statement': {
    summary: 'Read the statement of a month',
    description:
      'The spending of the account in one month, by model and, with `group_by`, by workspace, key or member; its payments, and how its balance changed. Days are those of UTC; only days that are over are counted.',
    success: ok('The statement of the month, with its payments.', statementAnswer, {
      data: {
        account_id: '01a1faa2-7c1e-7b9a-8f00-3d5c1a2b4c6d',
        account_name: 'Acme',
        currency: 'RUB',
        from: '2026-10-01',
        to: '2026-10-31',
        zone: 'UTC',
        closed: true,
        closed_days: 31,
        rows: [
          {
            model: 'sandbox/claude',
            api_key_hash: '5ff7'.repeat(16),
            api_key_name: 'Server',
            api_key_tags: { project: 'search' },
            ...sums,
          },
        ],
        total: sums,
        counted_usage: 120.375,
        proven: true,
        payments: [
          { created_at: '2026-10-02T09:00:00.000Z', kind: 'top_up', reference: 'invoice-12', amount: 1500, note: null },
        ],
        balance: { opening: 0, paid_in: 1500, given_back: 0, adjusted: 0, spent: 120.375, closing: 1379.625 },
        sealed_days: [],
      },
    }),
    errors: ['invalid_request'],
  },
});
