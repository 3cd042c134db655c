import { guarded, type CsvRow } from '../../../lambdas/books/csv.ts';
import type { Names } from '../../../lambdas/books/names.ts';
import { chargeCells, sealedColumns } from '../../../lambdas/books/seals/sealed-line.ts';
import type { BookedGeneration, Statement } from '../../../lambdas/books/statement.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { proofText } from './proof-text.ts';

/** Columns whose values may change later, or depend on the time zone. */
const columnsOfStatement = ['day', 'period_zone', 'workspace', 'key', 'key_label', 'proof'] as const;

/** Columns of generations.csv. In its last line, the column `line` is "total". */
export const generationCsvColumns = [...sealedColumns, ...columnsOfStatement] as const;

/** Returns one row for each request to a provider; only the first row has the total cost and the correction. */
export async function generationRows(
  { generation, day, lines }: BookedGeneration,
  names: Names,
  zone: string,
): Promise<CsvRow[]> {
  const { payer } = generation;
  const [key, workspace] = await Promise.all([names.key(payer.keyHash), names.workspace(payer.workspaceId)]);
  const ofStatement = [day, zone, workspace, guarded(key.name), key.label, null];
  return chargeCells(generation, lines).map((cells): CsvRow => [...cells, ...ofStatement]);
}

/** Returns the last line: the totals and the result of the proof. */
export function generationTotalRow(statement: Statement, of: { lines: Money; cuts: Money }): CsvRow {
  const cells: Partial<Record<(typeof generationCsvColumns)[number], CsvRow[number]>> = {
    line: 'total',
    cut_rub: of.cuts.isZero ? null : of.cuts,
    line_rub: of.lines,
    total_cost_rub: statement.total.usage,
    period_zone: statement.period.zone,
    proof: proofText(statement),
  };
  return generationCsvColumns.map((name) => cells[name] ?? null);
}
