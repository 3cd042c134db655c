/**
 * Reads the Amazon Bedrock lines of an AWS Cost and Usage Report (CUR 2.0 of Data Exports, or the legacy report), as
 * CSV or gzipped CSV.
 *
 * The usage type contains the kind of token and the model
 * (docs.aws.amazon.com/bedrock/latest/userguide/cost-mgmt-understanding-cur-data.html). A model's name in the report
 * differs from its name in requests.
 */

import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { parse } from 'csv-parse';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { StartFailure } from '../../shared/failure.ts';
import { ReportedSums, type ReportedDay, type ReportedMeter } from './provider-usage.ts';

/**
 * Matches a usage type: a region (optional), the model, "mantle" for the newer API (optional), and the kind of token.
 * Tiers and inference profiles may follow.
 */
const USAGE_TYPE =
  /^(?:[A-Z]{2,4}\d+-)?(?<name>.+?)(?:-mantle)?-(?<kind>input-tokens|output-tokens|cache-read-input-token-count|cache-write-input-token-count)(?:-.+)?$/;

const meterOfKind: Record<string, ReportedMeter> = {
  'input-tokens': 'input',
  'output-tokens': 'output',
  'cache-read-input-token-count': 'cache_read',
  'cache-write-input-token-count': 'cache_write',
};

/** Types of lines with usage. Other types are, for example, taxes, credits, discounts and fees. */
const USAGE_LINES: ReadonlySet<string> = new Set(['Usage', 'DiscountedUsage', 'SavingsPlanCoveredUsage']);

/** Number of tokens per unit of the report. */
const tokensOfUnit: Record<string, number> = { tokens: 1, token: 1, '1k tokens': 1_000, '1m tokens': 1_000_000 };

/** Maximum period of a line: longer lines would be counted entirely on their first day. */
const MAX_LINE_MS = 25 * 60 * 60 * 1_000;

/**
 * Reads a report, and adds up the tokens by UTC day and model.
 * @throws {StartFailure} if the file cannot be read or a line is invalid
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
    throw new StartFailure(`${file} cannot be read as CSV: ${(error as Error).message}`);
  }
}

/** Converts a column name of the legacy report, for example "lineItem/UsageType". */
function columnName(header: string): string {
  return header
    .trim()
    .replace('/', '_')
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
}

/** Returns the usage in a line; undefined for lines without model tokens. */
function usageOfReportLine(row: ReportRow, place: string): ReportedDay | undefined {
  const cell = (name: string): string => {
    const value = row[name];
    if (value === undefined)
      throw new StartFailure(`${place}: the report has no column ${name}. Export it with this column.`);
    return value;
  };
  if (!USAGE_LINES.has(cell('line_item_line_item_type'))) return undefined;
  const found = USAGE_TYPE.exec(cell('line_item_usage_type'))?.groups;
  if (!found) return undefined;
  const startMs = timeMs(cell('line_item_usage_start_date'), place);
  if (timeMs(cell('line_item_usage_end_date'), place) - startMs > MAX_LINE_MS) {
    throw new StartFailure(`${place}: the line covers more than a day. Export the report by hour or by day.`);
  }
  const tokens = tokensOfAmount(cell('line_item_usage_amount'), cell('pricing_unit'), place);
  return { date: utcDate(startMs), model: found['name']!, usage: { [meterOfKind[found['kind']!]!]: tokens } };
}

/** Returns an amount of units as whole tokens. It rounds, because fractions are rounding errors of the unit. */
function tokensOfAmount(amount: string, unit: string, place: string): number {
  const tokensOfOne = tokensOfUnit[unit.toLowerCase()];
  if (tokensOfOne === undefined) {
    throw new StartFailure(
      `${place}: the unit "${unit}" is unknown. Known units: ${Object.keys(tokensOfUnit).join(', ')}.`,
    );
  }
  const tokens = Math.round(Number(amount) * tokensOfOne);
  if (amount.trim() === '' || !Number.isSafeInteger(tokens) || tokens < 0) {
    throw new StartFailure(`${place}: "${amount}" is not a valid amount.`);
  }
  return tokens;
}

/** Returns a time in epoch ms; a time without a time zone is UTC. */
function timeMs(text: string, place: string): number {
  const instantMs = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  if (Number.isNaN(instantMs)) throw new StartFailure(`${place}: "${text}" is not a valid time.`);
  return instantMs;
}
