import { useMemo, useState } from 'preact/hooks';
import { Money } from '../../../../lambdas/money/money.ts';
import type { AccountData } from '../../account-data.ts';
import type { ShownActivity } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf, plotted } from '../../exact-numbers.ts';
import { Curves, MAX_CURVES, type Curve } from '../../parts/curves.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { ChoiceField } from '../../parts/fields.tsx';
import { sumsBy } from '../../run-out.ts';
import type { Texts } from '../../texts/languages.ts';

const dimensions = ['workspace', 'key', 'member', 'model'] as const;
type Dimension = (typeof dimensions)[number];

/** As many rows as a person reads; all of them are in the statement and its files. */
const MAX_CURVE_ROWS = 200;

/** Thirty days as curves, by what the reader chooses, and beneath them the rows that they are drawn from. */
export function SpendingCurves({ data }: { data: AccountData }) {
  const { texts } = useConsole();
  const { rub, count, day } = useFormats();
  const [by, setBy] = useState<Dimension>('model');
  const nameOf = useMemo(() => nameByDimension(data, by, texts), [data, by, texts]);
  const curves = useMemo(() => curvesOf(data, nameOf, texts.others), [data, nameOf, texts]);
  const rows = useMemo(() => spendingByDay(data.activity, nameOf), [data, nameOf]);
  return (
    <section>
      <h2>{texts.thirtyDays}</h2>
      <ChoiceField
        label={texts.by}
        value={by}
        choices={dimensions.map((name) => [name, texts.dimensions[name]])}
        onChange={(value) => setBy(value as Dimension)}
      />
      {data.activity.length === 0 ? (
        <p class="quiet">{texts.noActivity}</p>
      ) : (
        <>
          <Curves times={data.days} curves={curves} label={texts.curvesLabel(texts.dimensions[by])} unit="₽" />
          <p class="quiet">{texts.curvesHint}</p>
          <details>
            <summary>{texts.rowsBeneath}</summary>
            <DataTable
              caption={texts.rowsBeneath}
              rows={rows.slice(0, MAX_CURVE_ROWS)}
              rowKey={({ date, name }) => `${date} ${name}`}
              columns={[
                { title: texts.day, cell: ({ date }) => day(date) },
                { title: texts.dimensions[by], cell: ({ name }) => name },
                { title: texts.requests, isFigure: true, cell: ({ requests }) => count(requests) },
                { title: texts.cost, isFigure: true, cell: ({ cost }) => rub(cost) },
              ]}
            />
            {rows.length > MAX_CURVE_ROWS && <p class="quiet">{texts.firstRows(MAX_CURVE_ROWS, rows.length)}</p>}
          </details>
        </>
      )}
    </section>
  );
}

function nameByDimension(data: AccountData, by: Dimension, texts: Texts): (row: ShownActivity) => string {
  const slugs = new Map(data.workspaces.map(({ id, slug }) => [id, slug]));
  const keys = new Map(data.keys.map(({ hash, name }) => [hash, name]));
  switch (by) {
    case 'workspace':
      return ({ workspace_id = '' }) => slugs.get(workspace_id) ?? workspace_id;
    case 'key':
      return ({ api_key_hash = '' }) => keys.get(api_key_hash) ?? `${texts.deletedKey} ${api_key_hash.slice(0, 8)}`;
    case 'member':
      return ({ user_id }) => user_id ?? texts.noMember;
    case 'model':
      return ({ model }) => model;
  }
}

interface DayRow {
  date: string;
  name: string;
  requests: number;
  cost: Money;
}

/** What each has cost on each day, the newest day first. */
function spendingByDay(activity: readonly ShownActivity[], nameOf: (row: ShownActivity) => string): DayRow[] {
  const ofDay = Map.groupBy(activity.toReversed(), ({ date }) => date);
  return [...ofDay].flatMap(([date, rows]) =>
    [...Map.groupBy(rows, nameOf)].map(([name, own]) => ({
      date,
      name,
      requests: own.reduce((sum, { requests }) => sum + requests, 0),
      cost: Money.sum(own.map(({ usage }) => moneyOf(usage))),
    })),
  );
}

/** The largest have a curve each, all others one together. */
function curvesOf({ activity, days }: AccountData, nameOf: (row: ShownActivity) => string, others: string): Curve[] {
  const names = sumsBy(activity, nameOf, ({ usage }) => moneyOf(usage)).map(([name]) => name);
  const own = new Set(names.length > MAX_CURVES ? names.slice(0, MAX_CURVES - 1) : names);
  const curveOf = (row: ShownActivity) => (own.has(nameOf(row)) ? nameOf(row) : others);
  const byCurve = Map.groupBy(activity, curveOf);
  const curveNames = [...own, ...(byCurve.has(others) && !own.has(others) ? [others] : [])];
  return curveNames.map((name) => {
    const byDay = Map.groupBy(byCurve.get(name)!, ({ date }) => date);
    const onDay = (day: string) => Money.sum((byDay.get(day) ?? []).map(({ usage }) => moneyOf(usage)));
    return { name, values: days.map((day) => plotted(onDay(day))) };
  });
}
