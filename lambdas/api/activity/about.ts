import { ok, tagged } from '../../http/about.ts';
import { activityAnswer, modelSpendingAnswer } from './shape.ts';

const row = {
  date: '2026-11-19',
  model: 'sandbox/claude',
  model_permaslug: 'sandbox/claude-20261120',
  endpoint_id: 'sandbox/claude',
  provider_name: 'Sandbox',
  usage: 12.0375,
  byok_usage_inference: 0,
  cache_saved_rub: 3.0612,
  requests: 31,
  prompt_tokens: 10_220,
  completion_tokens: 5_981,
  reasoning_tokens: 0,
};

export const activity = tagged('Account', {
  'get-activity': {
    summary: 'Report daily spending',
    description:
      'The spending of completed UTC days, by date, model and endpoint (one provider’s offer of the model): of the last 30 days, or of any days from `from` to `to`. Requests that completed or were charged are counted. A day appears after it has ended and its requests were added up; if the cost of a request becomes final later, its day is added up again.',
    success: ok('Rows in the order of date, model and endpoint.', activityAnswer, { data: [row] }),
    errors: ['invalid_request', 'not_found'],
  },
  'get-model-spending': {
    summary: 'Report what each model has cost so far',
    description:
      'The spending of the account by model: today, since Monday and since the first of the month, in UTC. A request is included as soon as its cost is final. Money held for running requests is not included.',
    success: ok('The models, the most expensive of the month first.', modelSpendingAnswer, {
      data: [{ model: 'sandbox/claude', usage_daily: 0.03, usage_weekly: 20.03, usage_monthly: 120.03 }],
      counted_from: '2026-11-02',
    }),
  },
});
