import { dailyRequests } from '../../admission/free/free-tier.ts';
import { fundingOf } from '../../admission/free/funding.ts';
import { servedCatalog } from '../../catalog/served-catalog.ts';
import { Money } from '../../money/money.ts';
import { nowMs } from '../../platform/clock.ts';
import { resources } from '../../resources.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import { accountDay, readRequests } from '../../store/counters/free-requests.ts';

interface ShownFreeUse {
  /** Today's requests to all free models together. */
  dailyRequests: { limit: number; remaining: number; used: number };
  /**
   * Whether the terms of at least one free model treat the account as funded. Without free models, whether it is
   * postpaid, or its payments and adjustments do not add up to 0.
   */
  isFunded: boolean;
}

/** Returns an account's use today, with the highest daily limit of all free models. */
export async function readFreeUse(account: Account): Promise<ShownFreeUse> {
  const { models } = await servedCatalog();
  const terms = models.flatMap(({ data }) => data.service_free ?? []);
  if (terms.length === 0) {
    const hasPaid = account.mode === 'postpaid' || !(account.limits.lifetime ?? Money.zero).isZero;
    return { dailyRequests: { limit: 0, remaining: 0, used: 0 }, isFunded: hasPaid };
  }
  const table = resources.table();
  const [isFunded, used] = await Promise.all([
    fundingOf(table, account, terms),
    readRequests(table, accountDay(account.id, nowMs())),
  ]);
  const limit = Math.max(...terms.map((one) => dailyRequests(one, isFunded(one))));
  return { dailyRequests: { limit, remaining: Math.max(0, limit - used), used }, isFunded: terms.some(isFunded) };
}
