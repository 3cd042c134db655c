import type { Names } from '../../../lambdas/books/names.ts';
import { isProven, type Statement } from '../../../lambdas/books/statement.ts';
import { Money } from '../../../lambdas/money/money.ts';
import type { CsvCell } from '../../../lambdas/books/csv.ts';
import { dimensionColumns, namedCells, sumCells, sumColumns } from './spending-table.ts';

type JsonFields = Record<string, unknown>;

/** Returns a statement as JSON. */
export async function statementJson(statement: Statement, names: Names): Promise<JsonFields> {
  const { account, period, only, by, rows, total, records, pending, payments, balance, proofs } = statement;
  const columns = [...by.flatMap((dimension) => dimensionColumns(dimension)), ...sumColumns];
  const shownRows: JsonFields[] = [];
  for (const row of rows)
    shownRows.push(statementJsonRow(columns, [...(await namedCells(row, by, names)), ...sumCells(row)]));
  return {
    account: { id: account.id, name: account.name, mode: account.mode },
    currency: 'RUB',
    period: {
      from: period.from,
      to: period.to,
      zone: period.zone,
      starts_at: new Date(period.startMs).toISOString(),
      ends_before: new Date(period.endMs).toISOString(),
    },
    only,
    by,
    rows: shownRows,
    total: statementJsonRow(sumColumns, sumCells(total)),
    payments: payments.map(({ id, kind, amount, note, createdAt }) => ({
      created_at: createdAt,
      kind,
      reference: id,
      amount_rub: amount.toString(),
      note: note ?? null,
    })),
    balance: balance
      ? {
          opening_rub: balance.opening.toString(),
          paid_in_rub: balance.paidIn.toString(),
          given_back_rub: balance.refunded.toString(),
          adjusted_rub: balance.adjusted.toString(),
          spent_rub: balance.spent.toString(),
          closing_rub: balance.closing.toString(),
        }
      : null,
    records,
    pending: { generations: pending.generations, held_rub: pending.held.toString() },
    proven: isProven(statement),
    proofs: proofs.map(({ source, agrees, says }) => ({ source, agrees: agrees ?? null, says })),
  };
}

function statementJsonRow(columns: readonly string[], cells: readonly CsvCell[]): JsonFields {
  return Object.fromEntries(
    columns.map((name, index) => {
      const cell = cells[index] ?? null;
      return [name, cell instanceof Money ? cell.toString() : cell];
    }),
  );
}
