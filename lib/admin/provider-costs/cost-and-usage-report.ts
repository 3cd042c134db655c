/**
 * A Cost and Usage Report of AWS (CUR 2.0 of Data Exports, or the legacy one), as CSV or gzipped CSV: its lines of Amazon Bedrock.
 *
 * The kind of token and the model are in the usage type, for example "USE1-Claude4.6Sonnet-cache-read-input-token-count"
 * (docs.aws.amazon.com/bedrock/latest/userguide/cost-mgmt-understanding-cur-data.html). A model has another name there than when it
 * is asked.
 */

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { StartFailure } from '../../shared/failure.ts';
import { ReportedSums, type ReportedDay, type ReportedMeter } from './provider-usage.ts';

/** A region, the model, "mantle" where the newer endpoint was asked, the kind of token, and then tiers and inference profiles. */
const USAGE_TYPE =
  /^(?:[A-Z]{2,4}\d+-)?(?<name>.+?)(?:-mantle)?-(?<kind>input-tokens|output-tokens|cache-read-input-token-count|cache-write-input-token-count)(?:-.+)?$/;

const meterOfKind: Record<string, ReportedMeter> = {
  'input-tokens': 'input',
  'output-tokens': 'output',
  'cache-read-input-token-count': 'cache_read',
  'cache-write-input-token-count': 'cache_write',
};

/** Lines of other types are taxes, credits, discounts and fees, which count no tokens. */
const USAGE_LINES: ReadonlySet<string> = new Set(['Usage', 'DiscountedUsage', 'SavingsPlanCoveredUsage']);

/** How many tokens one unit of an amount is. */
const tokensOfUnit: Record<string, number> = { tokens: 1, token: 1, '1k tokens': 1_000, '1m tokens': 1_000_000 };

/** A line of more than a day would be booked on its first. */
const MAX_LINE_MS = 25 * 60 * 60 * 1_000;

/**
 * Adds up the tokens of all lines, by UTC day and model, in memory that depends on days and models alone.
 * @throws {StartFailure} naming the line and what is wrong with it
 */
export async function readCostAndUsageReport(file: string): Promise<ReportedDay[]> {
  const sums = new ReportedSums();
  let line = 1;
  for await (const row of reportRows(file)) {
    line += 1;
    const usage = usageOfReportLine(row, `${file}, line ${line}`);
    if (usage) sums.add(usage);
  }
  return sums.all();
}

type ReportRow = Record<string, string | undefined>;

async function* reportRows(file: string): AsyncGenerator<ReportRow, void> {
  const parser = parse({ columns: (header: string[]) => header.map(columnName), skip_empty_lines: true, bom: true });
  const bytes = createReadStream(file);
  const text = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  for (const stream of [bytes, text]) stream.on('error', (error: Error) => parser.destroy(error));
  try {
    for await (const row of text.pipe(parser)) yield row as ReportRow;
  } catch (error) {
    if (error instanceof StartFailure) throw error;
    throw new StartFailure(`${file} is not read as CSV: ${(error as Error).message}`);
  }
}

/** The names of the legacy report, such as "lineItem/UsageType", become those of the newer. */
function columnName(header: string): string {
  return header
    .trim()
    .replace('/', '_')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

/** @returns undefined for what is no token of a model */
function usageOfReportLine(row: ReportRow, place: string): ReportedDay | undefined {
  const cell = (name: string): string => {
    const value = row[name];
    if (value === undefined) throw new StartFailure(`${place}: the report has no column ${name}.`);
    return value;
  };
  if (!USAGE_LINES.has(cell('line_item_line_item_type'))) return undefined;
  const found = USAGE_TYPE.exec(cell('line_item_usage_type'))?.groups;
  if (!found) return undefined;
  const startMs = timeMs(cell('line_item_usage_start_date'), place);
  if (timeMs(cell('line_item_usage_end_date'), place) - startMs > MAX_LINE_MS) {
    throw new StartFailure(`${place}: the line is of more than a day. Export the report by hour or by day.`);
  }
  const tokens = tokensOfAmount(cell('line_item_usage_amount'), cell('pricing_unit'), place);
  return { date: utcDate(startMs), model: found['name']!, usage: { [meterOfKind[found['kind']!]!]: tokens } };
}

/** A line counts whole tokens; digits behind them come of its unit. */
function tokensOfAmount(amount: string, unit: string, place: string): number {
  const tokensOfOne = tokensOfUnit[unit.toLowerCase()];
  if (tokensOfOne === undefined) {
    throw new StartFailure(`${place}: the unit "${unit}" is none of ${Object.keys(tokensOfUnit).join(', ')}.`);
  }
  const tokens = Math.round(Number(amount) * tokensOfOne);
  if (amount.trim() === '' || !Number.isSafeInteger(tokens) || tokens < 0) {
    throw new StartFailure(`${place}: "${amount}" is no amount of usage.`);
  }
  return tokens;
}

/** Times are UTC, with or without a zone. */
function timeMs(text: string, place: string): number {
  const instantMs = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(instantMs)) throw new StartFailure(`${place}: "${text}" is no time.`);
  return instantMs;
}
