/**
 * Publishes a notice for each threshold that the spending of a payer has crossed, in all its scopes.
 *
 * Guarantee: one notice for each threshold, window and limit, also if checks run concurrently. If several thresholds of
 * a window are crossed at once, only the highest gets a notice. The refusal of a hold has its own mark, so the limit is
 * reported again when it is spent.
 * Weakness: after a change of a limit, its thresholds can be crossed again in the same window.
 */

import { DAY_MS, endOfNamedWindow } from '../money/periods.ts';
import { scopesOf, type Payer } from '../store/accounts/payer.ts';
import { readSettingsOfOwners, type AlertSettings } from '../store/alerts/alert-settings.ts';
import { isDecided, markPut, passedMarkPut, type AlertDelivery, type Mark } from '../store/alerts/deliveries.ts';
import { readCounter, type ScopeId, type StoredCounter } from '../store/counters/counters.ts';
import { isLimited } from '../store/counters/limits.ts';
import type { Table } from '../store/table/table.ts';
import type { AlertCheck } from '../store/alerts/alert-check.ts';
import { alertOwnersOf, hasDestination, settingsOfScope } from './alert-owners.ts';
import { checkBalance, isPrepaidBalance } from './check-balance.ts';
import { limitNotice } from './limit-notice.ts';
import { deliveriesOf, publishNotice } from './publish-notice.ts';
import { readScopeName } from './scope-names.ts';
import { spendingRate } from './spending-rate.ts';
import { crossingsOf, crossingNames, thresholdName, windowsOfDate, type Crossing } from './thresholds.ts';

/** Time in ms for which the mark of a sent notice is kept after its window. */
const MARK_KEPT_MS = 35 * DAY_MS;

/** Checks a payer. Returns the new deliveries, which are due. */
export async function checkPayer(table: Table, check: AlertCheck, atMs: number): Promise<AlertDelivery[]> {
  const { payer, only } = check;
  const settings = await readSettingsOfOwners(table, payer.accountId, alertOwnersOf(payer));
  const scopes = scopesOf(payer).filter(({ kind }) => only === undefined || kind === only);
  const checked = scopes.map(async (scope) => {
    const applied = settingsOfScope(scope, payer, settings);
    return applied && hasDestination(applied) ? checkScope(table, { ...check, scope, settings: applied }, atMs) : [];
  });
  return (await Promise.all(checked)).flat();
}

interface ScopeCheck extends AlertCheck {
  scope: ScopeId;
  settings: AlertSettings;
}

async function checkScope(table: Table, check: ScopeCheck, atMs: number): Promise<AlertDelivery[]> {
  const { payer, scope, settings, date, refused } = check;
  const counter = await readCounter(table, scope);
  if (!isLimited(counter.limits)) return [];
  if (await isPrepaidBalance(table, scope, counter)) return checkBalance(table, settings, { refused, atMs });
  const { thresholds } = settings;
  const crossings = crossingsOf(scope, counter, { windows: windowsOfDate(date), thresholds, refused });
  const published: AlertDelivery[] = [];
  for (const crossing of crossings) {
    const decided = crossingNames(crossing).map((name) => isDecided(table, payer.accountId, name));
    if ((await Promise.all(decided)).includes(true)) continue;
    published.push(...(await publishCrossing(table, { ...check, counter, crossing }, atMs)));
  }
  return published;
}

async function publishCrossing(
  table: Table,
  { payer, settings, date, counter, crossing }: ScopeCheck & { counter: StoredCounter; crossing: Crossing },
  nowMs: number,
): Promise<AlertDelivery[]> {
  const { scope, interval, spent, limit } = crossing;
  // If the check is about the day before, computes the rate as of the end of that day.
  const atMs = Math.min(nowMs, Date.parse(date) + DAY_MS - 1);
  const notice = limitNotice(crossing, await readScopeName(table, payer.accountId, scope), {
    rate: spendingRate(counter, { interval, room: limit.minus(spent), atMs }),
    baseUrl: settings.baseUrl,
  });
  const lower = crossing.lower.map((threshold) => [
    `passed ${threshold}`,
    passedMarkPut(table, markOf(payer, crossing, thresholdName(crossing, threshold))),
  ]);
  const decision = markPut(table, markOf(payer, crossing, crossingNames(crossing)[0]));
  const deliveries = deliveriesOf(settings, notice, nowMs);
  return (await publishNotice(table, { decision, more: Object.fromEntries(lower) }, deliveries)) ?? [];
}

function markOf({ accountId }: Payer, { window }: Crossing, name: string): Mark {
  const endMs = endOfNamedWindow(window);
  const untilMs = endMs === null ? undefined : endMs + MARK_KEPT_MS;
  return { accountId, name, untilMs };
}
