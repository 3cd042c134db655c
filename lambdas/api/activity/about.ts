import { ok, tagged } from '../../http/about.ts';
import { activityAnswer } from './shape.ts';

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
      'Successful requests of completed UTC days by date, model and endpoint: the last 30, or any days from `from` to `to`. A day appears when it is over and rolled up; a request that is settled later re-opens its day.',
    success: ok('Rows in the order of date, model and endpoint.', activityAnswer, { data: [row] }),
    errors: ['invalid_request', 'not_found'],
  },
});
