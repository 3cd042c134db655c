/**
 * Formats the lines of a sealed day. The same record gives the same bytes, so a line contains no names of keys or
 * workspaces, which may change.
 */

import { stringify } from 'csv-stringify/sync';
import type { MeteredUnits } from '../../accounting/price.ts';
import { linesOf, type GenerationLine } from '../../accounting/generation-lines.ts';
import type { FinalGeneration } from '../../accounting/daily-sums.ts';
import { meters, type Meter } from '../../catalog/unit-lists.ts';
import type { BalanceEntry } from '../../store/accounts/accounts.ts';
import type { Generation } from '../../store/generations/generation.ts';
import { csvOptions, guarded, type CsvCell } from '../csv.ts';
import { tagsCell } from '../tag-values.ts';

/**
 * Kind of a line:
 * - `charge`: a generation of that day
 * - `late`: a generation of an earlier day that was open when its own day was sealed
 * - `corrected`: the change of a generation that was sealed with an estimated cost
 * - `open`: a generation of that day that is not settled yet
 * - other kinds: payments
 */
export type LineKind = 'charge' | 'late' | 'corrected' | 'open' | BalanceEntry['kind'];

const columnsOf = (meter: Meter) => [`${meter}_units`, `${meter}_price_rub`] as const;

/**
 * Number of billing units in the lines of the first release that sealed days. Later columns are at the end, so a line
 * begins with the line that an earlier release would have written.
 */
const FIRST_UNITS = 10;
const UNITS_BEFORE_TAGS = 19;
const laterColumns = [
  ...meters.slice(FIRST_UNITS, UNITS_BEFORE_TAGS).map(columnsOf),
  ['tags'] as const,
  ...meters.slice(UNITS_BEFORE_TAGS).map(columnsOf),
];

/** Columns of a line. Only the first line of a generation has `total_cost_rub` and `correction_rub`. */
export const sealedColumns = [
  'line',
  'id',
  'round',
  'created_at',
  'settled_at',
  'workspace_id',
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
  ...meters.slice(0, FIRST_UNITS).flatMap(columnsOf),
  'cut_rub',
  'line_rub',
  'total_cost_rub',
  'correction_rub',
  ...laterColumns.flat(),
] as const;

/** Possible numbers of columns, largest first. */
export const sealedWidths: readonly number[] = Array.from(
  { length: laterColumns.length + 1 },
  (_, fewer) => sealedColumns.length - laterColumns.slice(laterColumns.length - fewer).flat().length,
);
const WIDTH = sealedColumns.length;

/** Returns the number of columns of a file with this header line; undefined if no release wrote this header. */
export function widthOfHead(head: string): number | undefined {
  return sealedWidths.find((width) => head === sealedColumns.slice(0, width).join(','));
}

type Cells = Partial<Record<(typeof sealedColumns)[number], CsvCell>>;

/** Returns one row of cells for each request to a provider. */
export function chargeCells(
  generation: FinalGeneration,
  lines: readonly GenerationLine[],
  kind: LineKind = 'charge',
): CsvCell[][] {
  const { outcome, settledAtMs, swept, catalogVersion } = generation;
  return lines.map(({ round, units, tierAboveTokens, cut, cost }) =>
    inOrder({
      ...cellsOfRequest(generation, kind),
      round,
      settled_at: settledAtMs === undefined ? null : new Date(settledAtMs).toISOString(),
      model: outcome.model,
      model_permaslug: outcome.modelPermaslug,
      provider: outcome.providerName,
      endpoint_id: outcome.endpointId,
      ending: outcome.ending,
      finish_reason: outcome.finishReason,
      estimated: outcome.estimated,
      capped: outcome.capped,
      cancelled: outcome.cancelled,
      swept,
      catalog_version: catalogVersion ?? null,
      tier_above_tokens: tierAboveTokens ?? null,
      ...cellsOfUnits(units),
      cut_rub: cut.isZero ? null : cut,
      line_rub: cost,
      total_cost_rub: round === 1 ? outcome.cost : null,
      correction_rub: round === 1 ? (generation.correction ?? null) : null,
    }),
  );
}

/** Returns the lines of a generation as text, without line feeds. */
export function chargeLines(generation: FinalGeneration, kind: LineKind, width = WIDTH): string[] {
  return chargeCells(generation, linesOf(generation), kind).map((cells) => csvLine(cells, width));
}

/** Returns the line of a generation that is not settled yet. */
export function openLine(generation: Generation, width = WIDTH): string {
  return csvLine(inOrder(cellsOfRequest(generation, 'open')), width);
}

/** Returns the line of a payment. Its amount is in the column `line_rub`, and may be negative. */
export function paymentLine({ kind, id, createdAt, amount }: BalanceEntry, width = WIDTH): string {
  return csvLine(inOrder({ line: kind, id: guarded(id), created_at: createdAt, line_rub: amount }), width);
}

function cellsOfRequest({ id, payer, apiType, createdAtMs, streamed, tags }: Generation, line: LineKind): Cells {
  return {
    line,
    id,
    created_at: new Date(createdAtMs).toISOString(),
    workspace_id: payer.workspaceId,
    key_hash: payer.keyHash,
    member: guarded(payer.memberId ?? ''),
    api_type: apiType,
    streamed,
    tags: tagsCell(tags),
  };
}

function cellsOfUnits(units: readonly MeteredUnits[]): Cells {
  return Object.fromEntries(
    units.flatMap(({ meter, quantity, price }) => [
      [`${meter}_units`, quantity],
      [`${meter}_price_rub`, price],
    ]),
  );
}

function inOrder(cells: Cells): CsvCell[] {
  return sealedColumns.map((name) => cells[name] ?? null);
}

const options = { ...csvOptions('plain'), eof: false };

/** Returns cells as a CSV line. Line breaks in cells become spaces. */
function csvLine(cells: readonly CsvCell[], width: number): string {
  return stringify([cells.slice(0, width)], options).replaceAll(/[\r\n]+/g, ' ');
}

/** Header line of a file of sealed lines. It is not a leaf of the hash tree. */
export const sealedHead = sealedColumns.join(',');
