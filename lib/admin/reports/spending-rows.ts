import type { Names } from '../../../lambdas/books/names.ts';
import type { Dimension, SpendingTable } from '../../../lambdas/books/spending.ts';
import type { Statement } from '../../../lambdas/books/statement.ts';
import { guarded, type CsvRow } from '../../../lambdas/books/csv.ts';
import { proofText } from './proof-text.ts';
import { dimensionColumns, namedCells, sumCells, sumColumns } from './spending-table.ts';

function columnsBy(by: readonly Dimension[]): string[] {
  return ['line', ...by.flatMap((dimension) => dimensionColumns(dimension)), ...sumColumns, 'period_zone', 'proof'];
}

/** Yields column names, one row for each combination of the dimensions' values, and the total with the proofs. */
export async function* spendingRows(
  spending: Pick<SpendingTable, 'rows' | 'total'>,
  by: readonly Dimension[],
  { statement, names }: { statement: Statement; names: Names },
): AsyncGenerator<CsvRow, void> {
  const { zone } = statement.period;
  yield columnsBy(by);
  for (const row of spending.rows()) {
    const named = (await namedCells(row, by, names)).map((cell) => (typeof cell === 'string' ? guarded(cell) : cell));
    yield ['spending', ...named, ...sumCells(row), zone, null];
  }
  const nothing = by.flatMap((dimension) => dimensionColumns(dimension)).map(() => null);
  yield ['total', ...nothing, ...sumCells(spending.total), zone, proofText(statement)];
}
