/**
 * Reports on the health of endpoints, exchanged between instances while endpoints fail. Time is divided into slots of
 * ten seconds. A report replaces the report of the same instance in the same slot.
 *
 * If many instances report, each report is written to all partitions, and each reader reads one of them, because a
 * partition allows 3,000 read units per second.
 */

import { queryPageWithin } from '../table/query.ts';
import { attribute, expiry, instant, record, text, type RecordOf } from '../table/record.ts';
import { TTL_ATTRIBUTE, type Item, type Table } from '../table/table.ts';
import { writeWithin } from '../table/transact.ts';
import { put } from '../table/writes.ts';

/** Results of attempts in one interval of a few seconds, which `number` identifies. */
interface Attempts {
  number: number;
  ok: number;
  failed: number;
}

const reportRecord = record({
  instance: text('instance'),
  publishedAtMs: instant('published_at'),
  attempts: attribute<Record<string, Attempts[]>>('attempts', {
    toAttribute: (attempts) => mapped(attempts, (bins) => bins.map(({ number, ok, failed }) => [number, ok, failed])),
    fromAttribute: (stored) => mapped(stored as Record<string, string[][]>, (bins) => bins.map(attemptsFrom)),
  }),
});
const reportExpiry = expiry(TTL_ATTRIBUTE);

/** Health of the endpoints that one process called. */
type Report = RecordOf<typeof reportRecord>;

/** Partition keys of the reports. If few instances report, only the first partition is used. */
export const HEALTH_PARTITIONS = [
  'HEALTH#RECENT',
  ...Array.from({ length: 7 }, (_, copy) => `HEALTH#RECENT#${copy + 1}`),
];
const HEALTH_SLOT_MS = 10_000;
/** Time in ms for which a report is kept. */
export const KEEP_REPORTS_MS = 60 * 60_000;
const HEALTH_WRITE_TIMEOUT_MS = 300;
const HEALTH_READ_TIMEOUT_MS = 1_000;

/**
 * Stores a report.
 * @param to.isCrowd whether many instances report
 */
export async function writeReport(table: Table, report: Report, to = { isCrowd: false }): Promise<void> {
  const { instance, publishedAtMs } = report;
  const item: Item = { entity: 'endpoint_health', ...reportRecord.toItem(report) };
  reportExpiry.write(publishedAtMs + KEEP_REPORTS_MS, item);
  const partitions = to.isCrowd ? HEALTH_PARTITIONS : HEALTH_PARTITIONS.slice(0, 1);
  const sk = `${slotOf(publishedAtMs)}#${instance}`;
  await Promise.all(
    partitions.map((pk) => writeWithin(table, HEALTH_WRITE_TIMEOUT_MS, put(table, { pk, sk, ...item }))),
  );
}

/**
 * Returns the newest reports first, eventually consistent. Reports slightly outside of these times may be included.
 * @param of.isCrowd whether many instances report
 */
export async function readReports(
  table: Table,
  { fromMs, toMs, limit, isCrowd = false }: { fromMs: number; toMs: number; limit: number; isCrowd?: boolean },
): Promise<Report[]> {
  const items = await queryPageWithin(table, HEALTH_READ_TIMEOUT_MS, {
    pk: isCrowd ? anyOf(HEALTH_PARTITIONS) : HEALTH_PARTITIONS[0]!,
    from: slotOf(fromMs),
    to: slotOf(toMs + HEALTH_SLOT_MS),
    Limit: limit,
    ScanIndexForward: false,
  });
  return items.map(reportRecord.from);
}

function anyOf(partitions: readonly string[]): string {
  return partitions[Math.floor(Math.random() * partitions.length)]!;
}

function slotOf(atMs: number): string {
  return new Date(Math.floor(atMs / HEALTH_SLOT_MS) * HEALTH_SLOT_MS).toISOString();
}

function attemptsFrom(bin: string[]): Attempts {
  const [number, ok, failed] = bin.map(Number) as [number, number, number];
  return { number, ok, failed };
}

function mapped<From, To>(of: Record<string, From>, toValue: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, toValue(value)]));
}
