import { useMemo, useState } from 'preact/hooks';
import { Money } from '../../../../lambdas/money/money.ts';
import { utcDate } from '../../../../lambdas/money/periods.ts';
import type { AccountData } from '../../account.ts';
import { readTagActivity } from '../../account-data.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { plotted } from '../../exact-numbers.ts';
import { useLoaded } from '../../loaded.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { ChoiceField } from '../../parts/fields.tsx';
import { WhenLoaded } from '../../parts/notice.tsx';
import { MAX_BAR_PARTS, StackedBars, type BarPart } from '../../parts/stacked-bars.tsx';
import { sumsBy } from '../../run-out.ts';
import {
  spendingByDay,
  spendingDimensions,
  tagOf,
  type DaySpending,
  type SpendingDimension,
} from '../../spending-by-day.ts';

const MAX_DAY_ROWS = 200;

/** Shows thirty completed days and today as bars, stacked by one dimension, and as a table. */
export function SpendingDays({ data }: { data: AccountData }) {
  const { texts } = useConsole();
  const [by, setBy] = useState<SpendingDimension>('model');
  const tag = tagOf(by);
  const choices: [SpendingDimension, string][] = [
    ...spendingDimensions.map((name): [SpendingDimension, string] => [name, texts.dimensions[name]]),
    ...data.reportedTags.map((name): [SpendingDimension, string] => [`tag:${name}`, texts.tagNamed(name)]),
  ];
  return (
    <section>
      <h2>{texts.thirtyDays}</h2>
      <ChoiceField
        label={texts.by}
        value={by}
        choices={choices}
        onChange={(value) => setBy(value as SpendingDimension)}
      />
      {tag === undefined ? <DaysBy data={data} by={by} /> : <DaysByTag data={data} name={tag} />}
    </section>
  );
}

/** Loads the days by a tag only when they are shown, because they can have many rows. */
function DaysByTag({ data, name }: { data: AccountData; name: string }) {
  const { client } = useConsole();
  const activity = useLoaded((signal) => readTagActivity(client, name, signal), [client, name]);
  return (
    <WhenLoaded of={activity}>{(rows) => <DaysBy data={{ ...data, activity: rows }} by={`tag:${name}`} />}</WhenLoaded>
  );
}

function DaysBy({ data, by }: { data: AccountData; by: SpendingDimension }) {
  const { texts } = useConsole();
  const { rub, count, day } = useFormats();
  const rows = useMemo(() => spendingByDay(data, by, texts), [data, by, texts]);
  const days = [...data.days, utcDate(data.readAtMs)];
  const tag = tagOf(by);
  const title = tag === undefined ? texts.dimensions[by as keyof typeof texts.dimensions] : texts.tagNamed(tag);
  const totals = new Map(
    sumsBy(
      rows,
      ({ date }) => date,
      ({ cost }) => cost,
    ),
  );
  if (rows.length === 0) return <p class="quiet">{texts.noActivity}</p>;
  return (
    <>
      <StackedBars
        days={days}
        parts={dayParts(rows, days, texts.others)}
        label={texts.barsLabel(title)}
        unit="₽"
        totalOf={(date) => rub(totals.get(date) ?? Money.zero)}
      />
      <p class="quiet">{texts.barsHint}</p>
      <details>
        <summary>{texts.rowsBeneath}</summary>
        <DataTable
          caption={texts.rowsBeneath}
          rows={rows.slice(0, MAX_DAY_ROWS)}
          rowKey={({ date, name }) => `${date} ${name}`}
          columns={[
            { title: texts.day, cell: ({ date }) => day(date) },
            { title, cell: ({ name }) => name },
            { title: texts.requests, isFigure: true, cell: ({ requests }) => count(requests) },
            { title: texts.cost, isFigure: true, cell: ({ cost }) => rub(cost) },
          ]}
        />
        {rows.length > MAX_DAY_ROWS && <p class="quiet">{texts.firstRows(MAX_DAY_ROWS, rows.length)}</p>}
      </details>
    </>
  );
}

/** Returns one part of the bars for each of the most expensive names, and one for the others. */
function dayParts(rows: readonly DaySpending[], days: string[], others: string): BarPart[] {
  const names = sumsBy(
    rows,
    ({ name }) => name,
    ({ cost }) => cost,
  ).map(([name]) => name);
  const own = new Set(names.length > MAX_BAR_PARTS ? names.slice(0, MAX_BAR_PARTS - 1) : names);
  const byPart = Map.groupBy(rows, ({ name }) => (own.has(name) ? name : others));
  const order = [...own, ...(own.has(others) ? [] : [others])].filter((name) => byPart.has(name));
  return order.map((name) => {
    const byDay = Map.groupBy(byPart.get(name)!, ({ date }) => date);
    return { name, values: days.map((day) => plotted(Money.sum((byDay.get(day) ?? []).map(({ cost }) => cost)))) };
  });
}
