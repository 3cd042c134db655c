import { ok, tagged } from '../../http/about.ts';
import { creditsAnswer } from './shape.ts';

export const credits = tagged('Account', {
  'get-credits': {
    summary: 'Read the remaining money of the account',
    success: ok('The money that was paid in, and how much of it is spent.', creditsAnswer, {
      data: {
        total_credits: 1500,
        total_usage: 120.03,
        usage_daily: 0.03,
        usage_weekly: 20.03,
        usage_monthly: 120.03,
        held: 0.6,
        balance: 1379.97,
        limits: [],
        mode: 'prepaid',
        currency: 'RUB',
      },
    }),
  },
});
