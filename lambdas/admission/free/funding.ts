import type { ServiceFree } from '../../catalog/schema.ts';
import { Money } from '../../money/money.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { readCounter } from '../../store/counters/counters.ts';
import type { Table } from '../../store/table/table.ts';

type Thresholds = Pick<ServiceFree, 'funded_balance_threshold_rub' | 'funded_topup_threshold_rub'>;

/** Whether an account counts as funded on some terms. */
export type Funding = (terms: Thresholds) => boolean;

/**
 * Whether an account is funded: it is postpaid, has topped up enough, or has enough left. What requests in flight hold is
 * still its own.
 *
 * Cost: none where its top-ups alone decide, which is most often; else its counter is read.
 */
export async function fundingOf(table: Table, account: Account, terms: readonly Thresholds[]): Promise<Funding> {
  if (account.mode === 'postpaid') return () => true;
  const toppedUp = account.limits.lifetime ?? Money.zero;
  const hasToppedUp = ({ funded_topup_threshold_rub: least }: Thresholds) => !least.exceeds(toppedUp);
  // Nobody has more left than was paid in.
  const mayHaveLeft = ({ funded_balance_threshold_rub: least }: Thresholds) => !least.exceeds(toppedUp);
  if (terms.every((one) => hasToppedUp(one) || !mayHaveLeft(one))) return hasToppedUp;
  const counter = await readCounter(table, { kind: 'account', id: account.id });
  const balance = toppedUp.minus(counter.spent('lifetime'));
  return (one) => hasToppedUp(one) || !one.funded_balance_threshold_rub.exceeds(balance);
}
