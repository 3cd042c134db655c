import { DAY_MS, utcDate } from '../../lambdas/money/periods.ts';
import type { AccountData } from './account.ts';
import type {
  DataOf,
  ShownActivity,
  ShownCredits,
  ShownRequest,
  ShownSpendingByModel,
  ShownStatement,
  ShownTagBudget,
  ShownTagSettings,
} from './answers.ts';
import type { GatewayClient } from './gateway-client.ts';
import { readOwners } from './owners.ts';
import { firstRecentDay } from './request-search.ts';

const DAYS_OF_CURVES = 30;
/** Time after which pages with account data read the data again. */
export const ACCOUNT_REFRESH_MS = 30_000;

export async function readAccountData(client: GatewayClient, signal: AbortSignal): Promise<AccountData> {
  const nowMs = Date.now();
  const days = Array.from({ length: DAYS_OF_CURVES }, (_, index) => utcDate(nowMs - (DAYS_OF_CURVES - index) * DAY_MS));
  const read = async <Body>(path: string) => (await client.read<DataOf<Body>>(path, signal)).body.data;
  const [credits, activity, tags, ofModels, month, latest, tagBudgets, owners] = await Promise.all([
    read<ShownCredits>('/credits'),
    read<ShownActivity[]>('/activity?group_by=workspace,key,member'),
    read<ShownTagSettings>('/tags'),
    client.read<ShownSpendingByModel>('/activity/models', signal),
    read<ShownStatement>(`/statements/${utcDate(nowMs).slice(0, 7)}`),
    read<ShownRequest[]>(`/generations?limit=100&from=${firstRecentDay(nowMs)}`),
    read<ShownTagBudget[]>('/tags/budgets'),
    readOwners(client, signal),
  ]);
  const { reported: reportedTags } = tags;
  const { body: models } = ofModels;
  return { ...owners, readAtMs: nowMs, credits, activity, days, reportedTags, models, month, latest, tagBudgets };
}

/** Reads the spending of the last thirty completed days by one reported tag. */
export async function readTagActivity(
  client: GatewayClient,
  name: string,
  signal: AbortSignal,
): Promise<ShownActivity[]> {
  return (await client.read<DataOf<ShownActivity[]>>(`/activity?group_by=tag:${name}`, signal)).body.data;
}
