import type { ServiceFree } from '../../catalog/schema.ts';
import { Money } from '../../money/money.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { readCounter } from '../../store/counters/counters.ts';
import type { Table } from '../../store/table/table.ts';

type Thresholds = Pick<ServiceFree, 'funded_balance_threshold_rub' | 'funded_topup_threshold_rub'>;

export type Funding = (terms: Thresholds) => boolean;

/**
 * Returns a function that decides whether an account is funded. It is funded if it is postpaid, or if its top-ups or
 * its balance (held money included) are large enough.
 *
 * Cost: at most one read of the account's counter.
 */
export async function fundingOf(table: Table, account: Account, terms: readonly Thresholds[]): Promise<Funding> {
  if (account.mode === 'postpaid') return () => true;
  const toppedUp = account.limits.lifetime ?? Money.zero;
  const hasToppedUp = ({ funded_topup_threshold_rub: least }: Thresholds) => !least.exceeds(toppedUp);
  // The balance is the sum of the top-ups minus the spending, so it cannot exceed the top-ups.
  const mayHaveLeft = ({ funded_balance_threshold_rub: least }: Thresholds) => !least.exceeds(toppedUp);
  if (terms.every((one) => hasToppedUp(one) || !mayHaveLeft(one))) return hasToppedUp;
  const counter = await readCounter(table, { kind: 'account', id: account.id });
  const balance = toppedUp.minus(counter.spent('lifetime'));
  return (one) => hasToppedUp(one) || !one.funded_balance_threshold_rub.exceeds(balance);
}
