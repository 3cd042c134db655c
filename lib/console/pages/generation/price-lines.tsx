import type { ShownRecord } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf, type ExactNumber } from '../../exact-numbers.ts';
import { DataTable } from '../../parts/data-table.tsx';

interface PriceRow {
  key: string;
  name: string;
  quantity: number | null;
  price: ExactNumber | null;
  cost: ExactNumber;
}

/** Shows how a request's cost was computed. */
export function PriceLines({ record: { request, price_lines, proven } }: { record: ShownRecord }) {
  const { texts } = useConsole();
  const { rub, count } = useFormats();
  const rows = price_lines.flatMap((line): PriceRow[] => {
    const round = price_lines.length > 1 ? `${texts.round} ${line.round}: ` : '';
    const tier = line.tier_above_tokens === null ? '' : `, ${texts.tierAbove(count(line.tier_above_tokens))}`;
    const units = line.units.map((unit) => ({
      key: `${line.round} ${unit.meter}`,
      name: `${round}${texts.meters[unit.meter]}${tier}`,
      quantity: unit.quantity,
      price: unit.price_rub,
      cost: unit.cost_rub,
    }));
    const isCut = !moneyOf(line.cut_rub).isZero;
    const cut = { key: `${line.round} cut`, name: texts.cutToHold, quantity: null, price: null, cost: line.cut_rub };
    return isCut ? [...units, cut] : units;
  });
  return (
    <section>
      <h2>{texts.priceLines}</h2>
      <DataTable
        caption={texts.priceLines}
        rows={rows}
        rowKey={({ key }) => key}
        empty={texts.nothingCharged}
        columns={[
          { title: texts.unit, cell: ({ name }) => name },
          { title: texts.quantity, isFigure: true, cell: ({ quantity }) => count(quantity) },
          { title: texts.priceOfOne, isFigure: true, cell: ({ price }) => rub(price) },
          { title: texts.amount, isFigure: true, cell: ({ cost }) => rub(cost) },
        ]}
      />
      <p>
        {texts.total}: <strong>{rub(request.total_cost)}</strong>{' '}
        {proven !== null && (
          <span class={`badge ${proven ? 'good' : 'bad'}`}>{proven ? texts.proven : texts.notProven}</span>
        )}
      </p>
    </section>
  );
}
