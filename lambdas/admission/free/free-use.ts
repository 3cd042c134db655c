import { priceUpperBound } from '../../accounting/price.ts';
import type { Model } from '../../catalog/catalog.ts';
import type { EndpointPrices } from '../../catalog/price-periods.ts';
import { Money } from '../../money/money.ts';
import { utcDate } from '../../money/periods.ts';
import { readPepper } from '../../platform/secrets/secrets.ts';
import type { Account } from '../../store/accounts/accounts.ts';
import type { Scope } from '../../store/counters/counters.ts';
import type { Table } from '../../store/table/table.ts';
import type { Quote } from '../spending-plan.ts';
import { networkHash } from './client-network.ts';
import type { FreeModel, FreeUse } from './free-tier.ts';
import { fundingOf } from './funding.ts';

interface QuotedEndpoint {
  candidate: { model: Model; held: EndpointPrices };
  quote: Quote;
}

/**
 * Returns the request's use of free models; undefined unless an endpoint belongs to a free model and costs the service
 * money.
 */
export async function freeUseOf(
  table: Table,
  offers: readonly QuotedEndpoint[],
  { account, clientAddress, atMs }: { account: Account; clientAddress: string; atMs: number },
): Promise<FreeUse | undefined> {
  const free = freeModels(offers);
  if (free.length === 0) return undefined;
  const terms = free.map((model) => model.terms);
  const isFunded = await fundingOf(table, account, terms);
  const models = free.map((model) => ({ ...model, isFunded: isFunded(model.terms) }));
  const isCountedByAddress = models.some((model) => !model.isFunded);
  const hash = isCountedByAddress ? networkHash(await readPepper(), clientAddress, utcDate(atMs)) : undefined;
  return { accountId: account.id, networkHash: hash, models, atMs };
}

/** Returns each free model once, with its maximum cost to the service at any of its endpoints. */
function freeModels(offers: readonly QuotedEndpoint[]): Omit<FreeModel, 'isFunded'>[] {
  const models = new Map<string, Omit<FreeModel, 'isFunded'>>();
  for (const { candidate, quote } of offers) {
    const { model, held } = candidate;
    const terms = model.data.service_free;
    if (!terms || !held.serviceCost) continue;
    const amount = priceUpperBound(quote.bound, held.serviceCost);
    const known = models.get(model.id)?.amount ?? Money.zero;
    models.set(model.id, { id: model.id, terms, amount: Money.max(known, amount) });
  }
  return [...models.values()];
}

/**
 * Returns the scopes whose limits must have room for a request. If only free models may serve it, a scope without money
 * does not refuse it. A limit of 0 still blocks a key, workspace, member or tag. On an account, a limit of 0 only means
 * that nothing was paid in.
 */
export function scopesToHoldIn(offers: readonly QuotedEndpoint[], scopes: Scope[]): Scope[] {
  if (!offers.every(({ candidate }) => candidate.model.data.service_free)) return scopes;
  return scopes.filter(({ kind, limits }) => kind !== 'account' && Object.values(limits).some((limit) => limit.isZero));
}
