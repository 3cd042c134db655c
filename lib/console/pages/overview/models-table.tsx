import { Money } from '../../../../lambdas/money/money.ts';
import type { AccountData } from '../../account.ts';
import type { ShownRequest } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf, shareOf } from '../../exact-numbers.ts';
import { hashOf } from '../../hash-route.ts';
import { modelsOfMonth, type MonthOfModel } from '../../model-month.ts';
import { DataTable } from '../../parts/data-table.tsx';

/** Tables of models: their current cost, and statistics of the latest requests. */
export function ModelsTable({ data }: { data: AccountData }) {
  return (
    <section>
      <MonthOfModels data={data} />
      <LatestOfModels latest={data.latest} />
    </section>
  );
}

function MonthOfModels({ data }: { data: AccountData }) {
  const { texts } = useConsole();
  const { rub, count, day, percent } = useFormats();
  const rows = modelsOfMonth(data);
  const sumOf = (of: 'daily' | 'weekly' | 'monthly') => Money.sum(rows.map((row) => row[of]));
  const whole = sumOf('monthly');
  const share = ({ monthly }: MonthOfModel) => percent((shareOf(monthly, whole) * 100).toFixed(1));
  const { counted_from: countedFrom } = data.models;
  return (
    <>
      <h2>{texts.modelsOfMonth}</h2>
      <DataTable
        caption={texts.modelsOfMonth}
        rows={rows}
        rowKey={({ model }) => model ?? ''}
        columns={[
          {
            title: texts.model,
            cell: ({ model }) =>
              model === null ? texts.noModelCounted : <a href={hashOf('generations', undefined, { model })}>{model}</a>,
            total: texts.total,
          },
          { title: texts.thisMonth, isFigure: true, cell: ({ monthly }) => rub(monthly), total: rub(whole) },
          { title: texts.share, isFigure: true, cell: (row) => (whole.isZero ? '—' : share(row)) },
          { title: texts.thisWeek, isFigure: true, cell: ({ weekly }) => rub(weekly), total: rub(sumOf('weekly')) },
          { title: texts.today, isFigure: true, cell: ({ daily }) => rub(daily), total: rub(sumOf('daily')) },
          {
            title: texts.costOfRequest,
            isFigure: true,
            cell: ({ completed }) => rub(completed?.costOfRequest ?? null),
          },
          { title: texts.requests, isFigure: true, cell: ({ completed }) => count(completed?.requests) },
          { title: texts.tokensRead, isFigure: true, cell: ({ completed }) => count(completed?.read) },
          { title: texts.tokensWritten, isFigure: true, cell: ({ completed }) => count(completed?.written) },
        ]}
      />
      <p class="quiet">
        {texts.closedDays(data.month.closed_days, day(data.month.from))}{' '}
        {countedFrom !== null && texts.modelsCountedFrom(day(countedFrom))}
      </p>
    </>
  );
}

function LatestOfModels({ latest }: { latest: ShownRequest[] }) {
  const { texts } = useConsole();
  const { rub, count, duration } = useFormats();
  const byModel = [...Map.groupBy(latest, ({ model }) => model ?? texts.unknownModel)]
    .map(([model, requests]) => ({ model, requests, cost: costOfRequests(requests) }))
    .toSorted((a, b) => b.cost.compare(a.cost));
  return (
    <>
      <h2>{texts.latestRequests(latest.length)}</h2>
      <DataTable
        caption={texts.latestRequests(latest.length)}
        rows={byModel}
        rowKey={({ model }) => model}
        empty={texts.noRequests}
        columns={[
          {
            title: texts.model,
            cell: ({ model }) => <a href={hashOf('generations', undefined, { model })}>{model}</a>,
            total: texts.total,
          },
          { title: texts.cost, isFigure: true, cell: ({ cost }) => rub(cost), total: rub(costOfRequests(latest)) },
          {
            title: texts.requests,
            isFigure: true,
            cell: ({ requests }) => count(requests.length),
            total: count(latest.length),
          },
          {
            title: texts.refused,
            isFigure: true,
            cell: ({ model, requests }) => <Refused model={model} count={requests.filter(isRefused).length} />,
            total: count(latest.filter(isRefused).length),
          },
          {
            title: texts.failed,
            isFigure: true,
            cell: ({ requests }) => count(requests.filter(hasFailed).length),
            total: count(latest.filter(hasFailed).length),
          },
          { title: texts.medianLatency, isFigure: true, cell: ({ requests }) => duration(medianLatency(requests)) },
        ]}
      />
    </>
  );
}

/** Shows the number of rejected requests, with a link to their list. */
function Refused({ model, count: refused }: { model: string; count: number }) {
  const { texts } = useConsole();
  const { count } = useFormats();
  if (refused === 0) return <>{count(0)}</>;
  const named = model === texts.unknownModel ? {} : { model };
  return <a href={hashOf('generations', undefined, { ...named, status: 'refused' })}>{count(refused)}</a>;
}

function isRefused({ status }: ShownRequest): boolean {
  return status === 'refused';
}

function hasFailed({ status }: ShownRequest): boolean {
  return status === 'broke_off' || status === 'refused_before' || status === 'out_of_time';
}

function costOfRequests(requests: ShownRequest[]): Money {
  return Money.sum(requests.flatMap(({ total_cost }) => (total_cost === null ? [] : [moneyOf(total_cost)])));
}

/** Returns the median latency of answered requests; undefined if there are none. */
function medianLatency(requests: ShownRequest[]): number | undefined {
  const latencies = requests.flatMap(({ latency }) => latency ?? []).toSorted((a, b) => a - b);
  return latencies[Math.floor(latencies.length / 2)];
}
