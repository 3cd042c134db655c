import type { DailySums } from '../../../lambdas/accounting/daily-sums.ts';
import type { Names } from '../../../lambdas/books/names.ts';
import { isTag, type Dimension, type PlainDimension, type SpendingRow } from '../../../lambdas/books/spending.ts';
import type { CsvCell } from '../../../lambdas/books/csv.ts';

const columnsByDimension: Record<PlainDimension, readonly string[]> = {
  day: ['day'],
  month: ['month'],
  workspace: ['workspace', 'workspace_id'],
  key: ['key', 'key_label', 'key_hash'],
  member: ['member'],
  model: ['model'],
  provider: ['provider'],
  endpoint: ['endpoint_id'],
  api_type: ['api_type'],
  ending: ['ending'],
};

export function dimensionColumns(dimension: Dimension): readonly string[] {
  return isTag(dimension) ? [dimension] : columnsByDimension[dimension];
}

export const sumColumns = [
  'requests',
  'prompt_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'usage_rub',
  'cache_saved_rub',
] as const;

export function sumCells(sums: DailySums): CsvCell[] {
  const { requests, promptTokens, completionTokens, reasoningTokens, usage, cacheSaved } = sums;
  return [requests, promptTokens, completionTokens, reasoningTokens, usage, cacheSaved];
}

/** Short names of `sumColumns`, for terminals and pages. */
export const shortSumColumns: readonly string[] = ['requests', 'in', 'out', 'thinking', 'usage_rub', 'saved_rub'];

/** Returns the cells of a row's dimensions, with names in addition to ids. */
export async function namedCells(row: SpendingRow, by: readonly Dimension[], names: Names): Promise<CsvCell[]> {
  const cells = await Promise.all(by.map((dimension, index) => cellsOf(dimension, row.values[index]!, names)));
  return cells.flat();
}

async function cellsOf(dimension: Dimension, value: string, names: Names): Promise<CsvCell[]> {
  if (dimension === 'workspace') return [await names.workspace(value), value];
  if (dimension !== 'key') return [value];
  const { name, label } = await names.key(value);
  return [name, label, value];
}
