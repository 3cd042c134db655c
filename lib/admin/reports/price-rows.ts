import { Money } from '../../../lambdas/money/money.ts';
import type { CsvRow } from '../../../lambdas/books/csv.ts';
import type { UnitTotal } from './unit-totals.ts';

/** Yields the column names, then one row for each price or reduction of charges, and the total. */
export function* priceRows(totals: readonly UnitTotal[]): Generator<CsvRow, void> {
  yield [
    'line',
    'catalog_version',
    'model',
    'model_permaslug',
    'provider',
    'endpoint_id',
    'meter',
    'tier_above_tokens',
    'price_rub',
    'first_day',
    'last_day',
    'units',
    'cost_rub',
  ];
  const byPrice = Map.groupBy(totals, priceOf);
  for (const [, all] of [...byPrice].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [first] = all as [UnitTotal];
    const days = all.map(({ day }) => day).toSorted();
    yield [
      first.meter ? 'price' : 'cut',
      first.catalogVersion,
      first.model,
      first.modelPermaslug,
      first.providerName,
      first.endpointId,
      first.meter ?? null,
      first.tierAboveTokens ?? null,
      first.meter ? first.price : null,
      days[0]!,
      days.at(-1)!,
      String(all.reduce((sum, { quantity }) => sum + quantity, 0n)),
      Money.sum(all.map(({ cost }) => cost)),
    ];
  }
  const nothing = Array.from({ length: 11 }, () => null);
  yield ['total', ...nothing, Money.sum(totals.map(({ cost }) => cost))];
}

function priceOf({ catalogVersion, model, endpointId, meter, tierAboveTokens, price }: UnitTotal): string {
  return [catalogVersion, model, endpointId, meter, tierAboveTokens, price].map(String).join('\n');
}
