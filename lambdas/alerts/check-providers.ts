/**
 * Finds providers that keep failing, and notifies the accounts that used one of their models today or yesterday.
 *
 * Guarantee: an account gets at most one notice while a provider keeps failing.
 * Weakness: the sums of spending name models, not providers, so an account whose requests all went to another provider
 * of the model is notified as well. An endpoint with fewer than ten requests in five minutes has no measurement.
 */

import type { Catalog } from '../catalog/catalog.ts';
import { DAY_MS } from '../money/periods.ts';
import { readAlertSettings } from '../store/alerts/alert-settings.ts';
import { readFailingProviders, saveFailingProvider } from '../store/alerts/failing-providers.ts';
import { readMeasurements } from '../store/statistics/endpoint-statistics.ts';
import type { Table } from '../store/table/table.ts';
import { hasDestination } from './alert-owners.ts';
import { publishEvent } from './event-notice.ts';
import { consoleUrl, minuteText, withLink } from './notice.ts';
import { recentModels } from './recent-models.ts';
import { scanAccounts } from './scan-accounts.ts';

/** Average uptime of a provider's endpoints, in percent, below which the provider counts as failing. */
const FAILING_BELOW_PERCENT = 50;
/** Minimum time in ms for which a provider must fail before accounts are notified. */
const FAILING_FOR_MS = 5 * 60_000;

export async function checkProviders(
  table: Table,
  { catalog, nowMs, deadlineMs }: { catalog: Catalog; nowMs: number; deadlineMs: number },
): Promise<void> {
  const known = await readFailingProviders(table);
  const failures: unknown[] = [];
  // A provider without a measurement keeps its state: a failing provider may get too few requests to be measured.
  for (const [id, uptime] of await averageUptimes(table, catalog)) {
    const sinceMs = known.get(id) ?? 0;
    const isFailing = uptime < FAILING_BELOW_PERCENT;
    if (!isFailing && sinceMs > 0) await saveFailingProvider(table, id, 0);
    if (!isFailing) continue;
    if (sinceMs === 0) await saveFailingProvider(table, id, nowMs);
    else if (nowMs - sinceMs >= FAILING_FOR_MS) {
      const notified = notifyUsers(table, { id, sinceMs, catalog, nowMs, deadlineMs });
      await notified.catch((error: unknown) => failures.push(error));
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, `Users of ${failures.length} providers not notified`);
}

/** Returns average uptimes in percent, by provider. */
async function averageUptimes(table: Table, catalog: Catalog): Promise<Map<string, number>> {
  const measured = (await readMeasurements(table)).map(({ endpoints }) => endpoints);
  const uptimes = catalog.models
    .filter(({ aliasOf }) => aliasOf === undefined)
    .flatMap(({ endpoints }) => endpoints)
    .flatMap(({ id, provider }) => {
      const uptime = measured.map((one) => one[id]?.uptimePercent.last5m).find((each) => typeof each === 'number');
      return typeof uptime === 'number' ? [{ provider: provider.id, uptime }] : [];
    });
  const byProvider = Map.groupBy(uptimes, ({ provider }) => provider);
  return new Map([...byProvider].map(([id, all]) => [id, averageUptime(all)]));
}

function averageUptime(all: readonly { uptime: number }[]): number {
  return all.reduce((sum, { uptime }) => sum + uptime, 0) / all.length;
}

interface FailingProvider {
  id: string;
  sinceMs: number;
  catalog: Catalog;
  nowMs: number;
  deadlineMs: number;
}

async function notifyUsers(table: Table, { id, sinceMs, catalog, nowMs, deadlineMs }: FailingProvider): Promise<void> {
  const name = `provider#${id}#${sinceMs}`;
  const isOfProvider = (model: string) =>
    catalog.find(model)?.endpoints.some(({ provider }) => provider.id === id) ?? false;
  const visit = async (accountId: string) => {
    const settings = await readAlertSettings(table, accountId, { kind: 'account', id: accountId });
    if (!settings || !hasDestination(settings)) return;
    const models = (await recentModels(table, accountId, { days: 1, nowMs })).filter(isOfProvider);
    if (models.length === 0) return;
    const since = new Date(sinceMs).toISOString();
    const notice = withLink(
      {
        type: 'alert.provider.failing',
        subject: 'Model gateway: a provider keeps failing',
        lines: [`Most requests to the provider "${id}" have failed since ${minuteText(sinceMs)}.`],
        data: { provider: id, since, models },
      },
      consoleUrl(settings.baseUrl, 'overview'),
    );
    await publishEvent(table, settings, { event: { name, atMs: nowMs }, notice, nowMs });
  };
  await scanAccounts(table, { name, untilMs: nowMs + 2 * DAY_MS }, { visit, deadlineMs });
}
