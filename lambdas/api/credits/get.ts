import { defineEndpoint } from '../../http/define-endpoint.ts';
import { jsonResponse } from '../../http/response.ts';
import { Money } from '../../money/money.ts';
import { resources } from '../../resources.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { readCounter, type StoredCounter } from '../../store/counters/counters.ts';
import { budgetPeriods, periodUsage } from '../parts/view.ts';
import type { CreditsAnswer } from './shape.ts';

export const handler = defineEndpoint('get-credits', {}, async ({ caller: { account } }) => {
  // The counter also contains the limit, so all values are from the same moment.
  const counter = await readCounter(resources.table(), { kind: 'account', id: account.id });
  const { usage: spent, ...currentUsage } = periodUsage(counter);
  const isPrepaid = account.mode === 'prepaid';
  const paidIn = (isPrepaid && counter.limits.lifetime) || Money.zero;
  return jsonResponse<CreditsAnswer>(200, {
    data: {
      total_credits: paidIn,
      total_usage: spent,
      ...currentUsage,
      held: counter.committed('lifetime').minus(spent),
      balance: isPrepaid ? paidIn.minus(spent) : null,
      limits: isPrepaid ? [] : limitViews(counter, account),
      mode: account.mode,
      currency: 'RUB',
    },
  });
});

function limitViews(counter: StoredCounter, { createdAt }: Account): CreditsAnswer['data']['limits'] {
  return budgetPeriods({ limits: counter.limits, limitTimes: {}, createdAt }, counter).map(
    ({ created_at: _created, updated_at: _updated, ...limit }) => limit,
  );
}
