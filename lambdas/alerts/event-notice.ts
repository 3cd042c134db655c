import { DAY_MS } from '../money/periods.ts';
import type { AlertSettings } from '../store/alerts/alert-settings.ts';
import { isDecided, markPut, passedMarkPut } from '../store/alerts/deliveries.ts';
import type { Table } from '../store/table/table.ts';
import type { Notice } from './notice.ts';
import { deliveriesOf, publishNotice } from './publish-notice.ts';

/** Time in ms after an event until DynamoDB may delete its mark (the item that makes the event's notice unique). */
const KEPT_AFTER_EVENT_MS = 35 * DAY_MS;

export interface DatedEvent {
  name: string;
  atMs: number;
}

/** Publishes a notice about an event, unless it was published before. */
export async function publishEvent(
  table: Table,
  settings: AlertSettings,
  { event, notice, nowMs }: { event: DatedEvent; notice: Notice; nowMs: number },
): Promise<void> {
  const { accountId } = settings;
  if (await isDecided(table, accountId, event.name)) return;
  const mark = { accountId, name: event.name, untilMs: event.atMs + KEPT_AFTER_EVENT_MS };
  await publishNotice(table, { decision: markPut(table, mark) }, deliveriesOf(settings, notice, nowMs));
}

/**
 * Publishes a notice if an event is at most one of `days` away, at most once for each number. If several numbers apply,
 * only the smallest causes a notice, and the others are marked as passed.
 * @param days numbers of days before the event, in ascending order
 */
export async function publishBefore(
  table: Table,
  settings: AlertSettings,
  { event, days, notice, nowMs }: { event: DatedEvent; days: readonly number[]; notice: Notice; nowMs: number },
): Promise<void> {
  const near = days.filter((each) => event.atMs > nowMs && event.atMs - nowMs <= each * DAY_MS);
  const [smallest, ...larger] = near.map((each) => `${event.name}#${new Date(event.atMs).toISOString()}#${each}`);
  if (smallest === undefined || (await isDecided(table, settings.accountId, smallest))) return;
  const markOf = (name: string) => ({
    accountId: settings.accountId,
    name,
    untilMs: event.atMs + KEPT_AFTER_EVENT_MS,
  });
  const more = Object.fromEntries(larger.map((name) => [name, passedMarkPut(table, markOf(name))]));
  const decision = markPut(table, markOf(smallest));
  await publishNotice(table, { decision, more }, deliveriesOf(settings, notice, nowMs));
}
