/**
 * Costs in the FinOps format FOCUS 1.2 (https://focus.finops.org), with the provider columns of 1.3. Readers add up the
 * lines, so there is no total line.
 */

import { billingUnits } from '../../../lambdas/catalog/unit-lists.ts';
import type { Names } from '../../../lambdas/books/names.ts';
import { daysOfMonth, periodOf, type Period } from '../../../lambdas/books/period.ts';
import type { Statement } from '../../../lambdas/books/statement.ts';
import type { Account } from '../../../lambdas/store/accounts/accounts.ts';
import { guarded, type CsvCell, type CsvRow } from '../../../lambdas/books/csv.ts';
import { proofText } from './proof-text.ts';
import type { UnitTotal } from './unit-totals.ts';

const metered = new Map(billingUnits.map(({ meter, focus }) => [meter, focus]));

const focusColumns = [
  'BilledCost',
  'BillingAccountId',
  'BillingAccountName',
  'BillingCurrency',
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargeCategory',
  'ChargeClass',
  'ChargeDescription',
  'ChargeFrequency',
  'ChargePeriodEnd',
  'ChargePeriodStart',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'HostProviderName',
  'InvoiceIssuerName',
  'ListCost',
  'ListUnitPrice',
  'PricingCategory',
  'PricingQuantity',
  'PricingUnit',
  'ProviderName',
  'PublisherName',
  'ServiceCategory',
  'ServiceName',
  'ServiceProviderName',
  'ServiceSubcategory',
  'SkuId',
  'SkuMeter',
  'SkuPriceId',
  'SubAccountId',
  'SubAccountName',
  'SubAccountType',
  'Tags',
  'x_CatalogVersion',
  'x_EndpointId',
] as const;

const decimals: ReadonlySet<string> = new Set([
  'BilledCost',
  'ConsumedQuantity',
  'ContractedCost',
  'ContractedUnitPrice',
  'EffectiveCost',
  'ListCost',
  'ListUnitPrice',
  'PricingQuantity',
]);
const times: ReadonlySet<string> = new Set([
  'BillingPeriodEnd',
  'BillingPeriodStart',
  'ChargePeriodEnd',
  'ChargePeriodStart',
]);

/** FOCUS requires a prefix for tags that are not chosen by users. */
const OWN_TAGS = 'gateway/';

/** Date of the last change of the columns. */
const COLUMNS_SINCE = '2026-11-25';

/** Returns the metadata of the file, for example its columns and its total. */
export function focusMetadata({ period, total, ...proven }: Statement): object {
  return {
    DataGenerator: { DataGenerator: 'model-gateway' },
    Schema: {
      SchemaId: `model-gateway-focus-${COLUMNS_SINCE}`,
      CreationDate: `${COLUMNS_SINCE}T00:00:00Z`,
      FocusVersion: '1.2',
      ColumnDefinition: focusColumns.map((name) => ({ ColumnName: name, ...formOf(name) })),
    },
    x_Period: { from: period.from, to: period.to, zone: period.zone },
    x_BilledCostTotal: total.usage.toString(),
    x_Proof: proofText({ period, total, ...proven }),
  };
}

function formOf(name: string): object {
  if (decimals.has(name)) return { DataType: 'Decimal', NumericPrecision: 38, NumberScale: 12 };
  if (times.has(name)) return { DataType: 'Date/Time' };
  if (name === 'Tags') return { DataType: 'JSON', StringEncoding: 'UTF-8', ProviderTagPrefixes: [OWN_TAGS] };
  return { DataType: 'String', StringEncoding: 'UTF-8' };
}

interface FocusContext {
  account: Account;
  period: Period;
  names: Names;
  issuer: string;
}

/** Yields the column names, then one row per total. */
export async function* focusRows(totals: readonly UnitTotal[], context: FocusContext): AsyncGenerator<CsvRow, void> {
  yield focusColumns;
  for (const total of totals) yield await focusRow(total, context);
}

async function focusRow(total: UnitTotal, { account, period, names, issuer }: FocusContext): Promise<CsvRow> {
  const { day, meter, price, quantity, cost, model, providerName, workspaceId } = total;
  const { startMs, endMs } = period.days.find(({ date }) => date === day)!;
  const month = periodOf({ ...daysOfMonth(day.slice(0, 'YYYY-MM'.length)), zone: period.zone });
  const key = await names.key(total.keyHash);
  const workspace = await names.workspace(workspaceId);
  const counted = meter && metered.get(meter);
  const unitPrice = meter ? price : null;
  const units = meter ? String(quantity) : null;
  // A meter may have several prices, for tiers and for periods, so the price id contains the tier and the price.
  const tier = total.tierAboveTokens === undefined ? '' : `>${total.tierAboveTokens}`;
  const skuId = meter ? `${total.endpointId}/${meter}` : null;
  const row: Record<(typeof focusColumns)[number], CsvCell> = {
    BilledCost: cost,
    BillingAccountId: account.id,
    BillingAccountName: guarded(account.name),
    BillingCurrency: 'RUB',
    BillingPeriodEnd: focusTime(month.endMs),
    BillingPeriodStart: focusTime(month.startMs),
    ChargeCategory: meter ? 'Usage' : 'Adjustment',
    ChargeClass: null,
    ChargeDescription: `${model}: ${counted?.name ?? 'charge capped at the held amount'}`,
    ChargeFrequency: 'Usage-Based',
    ChargePeriodEnd: focusTime(endMs),
    ChargePeriodStart: focusTime(startMs),
    ConsumedQuantity: units,
    ConsumedUnit: counted?.unit ?? null,
    ContractedCost: cost,
    ContractedUnitPrice: unitPrice,
    EffectiveCost: cost,
    HostProviderName: providerName,
    InvoiceIssuerName: issuer,
    ListCost: cost,
    ListUnitPrice: unitPrice,
    PricingCategory: meter ? 'Standard' : null,
    PricingQuantity: units,
    PricingUnit: counted?.unit ?? null,
    ProviderName: issuer,
    PublisherName: providerName,
    ServiceCategory: 'AI and Machine Learning',
    ServiceName: model,
    ServiceProviderName: issuer,
    ServiceSubcategory: 'Generative AI',
    SkuId: skuId,
    SkuMeter: counted?.name ?? null,
    SkuPriceId: skuId && `${skuId}@${total.catalogVersion}${tier}=${price}`,
    SubAccountId: workspaceId,
    SubAccountName: workspace,
    SubAccountType: 'Workspace',
    Tags: JSON.stringify({
      // Tags that were recorded with the requests replace the key's tags of the same name.
      ...Object.fromEntries(Object.entries({ ...key.tags, ...total.tags }).toSorted()),
      [`${OWN_TAGS}key`]: key.name,
      [`${OWN_TAGS}key_hash`]: total.keyHash,
      ...(total.memberId ? { [`${OWN_TAGS}member`]: total.memberId } : {}),
    }),
    x_CatalogVersion: total.catalogVersion,
    x_EndpointId: total.endpointId,
  };
  return focusColumns.map((name) => row[name]);
}

/** FOCUS requires times without fractions of a second. */
function focusTime(atMs: number): string {
  return new Date(atMs).toISOString().replace('.000Z', 'Z');
}
