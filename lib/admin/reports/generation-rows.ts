import type { BookedGeneration, Statement } from '../../../lambdas/books/statement.ts';
import type { Names } from '../../../lambdas/books/names.ts';
import { meters, type MeteredUnits } from '../../../lambdas/accounting/price.ts';
import type { Money } from '../../../lambdas/money/money.ts';
import { guarded, type CsvCell, type CsvRow } from './csv.ts';
import { proofText } from './proof-text.ts';

/** Of a generation; they stand on each of its lines. */
const generationColumns = [
  'id',
  'round',
  'created_at',
  'settled_at',
  'day',
  'period_zone',
  'workspace',
  'workspace_id',
  'key',
  'key_label',
  'key_hash',
  'member',
  'api_type',
  'model',
  'model_permaslug',
  'provider',
  'endpoint_id',
  'streamed',
  'ending',
  'finish_reason',
  'estimated',
  'capped',
  'cancelled',
  'swept',
  'catalog_version',
  'tier_above_tokens',
] as const;

const meterColumns = meters.flatMap((meter) => [`${meter}_units`, `${meter}_price_rub`]);

/** Columns of generations.csv. `line` is "charge", and "total" in the last line. */
export const generationCsvColumns = [
  'line',
  ...generationColumns,
  ...meterColumns,
  'cut_rub',
  'line_rub',
  'total_cost_rub',
  'correction_rub',
  'proof',
] as const;

/** The rows of one generation: one for each request to a provider. Amounts of the whole generation stand on the first. */
export async function generationRows(
  { generation, day, lines }: BookedGeneration,
  names: Names,
  zone: string,
): Promise<CsvRow[]> {
  const { id, payer, outcome, apiType, createdAtMs, settledAtMs, streamed, swept, catalogVersion } = generation;
  const [key, workspace] = await Promise.all([names.key(payer.keyHash), names.workspace(payer.workspaceId)]);
  return lines.map(({ round, units, tierAboveTokens, cut, cost }): CsvRow => {
    const own: Record<(typeof generationColumns)[number], CsvCell> = {
      id,
      round,
      created_at: new Date(createdAtMs).toISOString(),
      settled_at: settledAtMs === undefined ? null : new Date(settledAtMs).toISOString(),
      day,
      period_zone: zone,
      workspace,
      workspace_id: payer.workspaceId,
      key: guarded(key.name),
      key_label: key.label,
      key_hash: payer.keyHash,
      member: guarded(payer.memberId ?? ''),
      api_type: apiType,
      model: outcome.model,
      model_permaslug: outcome.modelPermaslug,
      provider: outcome.providerName,
      endpoint_id: outcome.endpointId,
      streamed,
      ending: outcome.ending,
      finish_reason: outcome.finishReason,
      estimated: outcome.estimated,
      capped: outcome.capped,
      cancelled: outcome.cancelled,
      swept,
      catalog_version: catalogVersion ?? null,
      tier_above_tokens: tierAboveTokens ?? null,
    };
    return [
      'charge',
      ...generationColumns.map((name) => own[name]),
      ...meterCells(units),
      cut.isZero ? null : cut,
      cost,
      round === 1 ? outcome.cost : null,
      round === 1 ? (generation.correction ?? null) : null,
      null,
    ];
  });
}

function meterCells(units: readonly MeteredUnits[]): CsvCell[] {
  return meters.flatMap((meter): CsvCell[] => {
    const charged = units.find((unit) => unit.meter === meter);
    return charged ? [charged.quantity, charged.price] : [null, null];
  });
}

/** The last line: what all lines come to, and what else says so. */
export function generationTotalRow(statement: Statement, of: { lines: Money; cuts: Money }): CsvRow {
  return [
    'total',
    ...generationColumns.map((name) => (name === 'period_zone' ? statement.period.zone : null)),
    ...meterColumns.map(() => null),
    of.cuts.isZero ? null : of.cuts,
    of.lines,
    statement.total.usage,
    null,
    proofText(statement),
  ];
}
