import type { Statement } from '../../../lambdas/books/statement.ts';
import { actorName } from '../../../lambdas/store/accounts/audit.ts';
import { Money } from '../../../lambdas/money/money.ts';
import { guarded, type CsvRow } from '../../../lambdas/books/csv.ts';

/**
 * Yields the column names, then the payments, adjustments and spending of a period, with the balance if there is one.
 */
export function* ledgerRows({ payments, balance, period, total }: Statement): Generator<CsvRow, void> {
  const { zone, from, to } = period;
  yield ['line', 'at', 'reference', 'note', 'booked_by', 'amount_rub', 'balance_rub', 'period_zone'];
  if (balance) yield ['opening', from, null, null, null, null, balance.opening, zone];
  for (const { createdAt, id, kind, note, actor, amount } of payments) {
    yield [
      kind,
      createdAt,
      guarded(id),
      guarded(note ?? ''),
      actor ? guarded(actorName(actor)) : null,
      amount,
      null,
      zone,
    ];
  }
  yield ['spending', to, null, null, null, total.usage.negated(), null, zone];
  const change = Money.sum(payments.map(({ amount }) => amount)).minus(total.usage);
  yield ['total', to, null, null, null, change, balance?.closing ?? null, zone];
}
