import { Money } from '../../../../lambdas/money/money.ts';
import type { AccountData } from '../../account-data.ts';
import type { ShownRequest } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf } from '../../exact-numbers.ts';
import { hashOf } from '../../hash-route.ts';
import { DataTable } from '../../parts/data-table.tsx';

/** Models: the month as the books have closed it, and how the latest requests went. */
export function ModelsTable({ data: { month, latest } }: { data: AccountData }) {
  const { texts } = useConsole();
  const { rub, count, day, duration } = useFormats();
  const recent = [...Map.groupBy(latest, ({ model }) => model ?? texts.unknownModel)];
  return (
    <section>
      <h2>{texts.modelsOfMonth}</h2>
      <p class="quiet">{texts.closedDays(month.closed_days, day(month.from))}</p>
      <DataTable
        caption={texts.modelsOfMonth}
        rows={month.rows}
        rowKey={({ model }) => model}
        columns={[
          { title: texts.model, cell: ({ model }) => <a href={hashOf('models', model)}>{model}</a> },
          { title: texts.requests, isFigure: true, cell: ({ requests }) => count(requests) },
          { title: texts.tokensRead, isFigure: true, cell: ({ prompt_tokens }) => count(prompt_tokens) },
          { title: texts.tokensWritten, isFigure: true, cell: ({ completion_tokens }) => count(completion_tokens) },
          { title: texts.cost, isFigure: true, cell: ({ usage }) => rub(usage) },
        ]}
      />
      <h2>{texts.latestRequests(latest.length)}</h2>
      <DataTable
        caption={texts.latestRequests(latest.length)}
        rows={recent}
        rowKey={([model]) => model}
        empty={texts.noRequests}
        columns={[
          { title: texts.model, cell: ([model]) => <a href={hashOf('generations', undefined, { model })}>{model}</a> },
          { title: texts.requests, isFigure: true, cell: ([, requests]) => count(requests.length) },
          {
            title: texts.refused,
            isFigure: true,
            cell: ([model, requests]) => <Refused model={model} count={requests.filter(isRefused).length} />,
          },
          { title: texts.failed, isFigure: true, cell: ([, requests]) => count(requests.filter(hasFailed).length) },
          { title: texts.medianLatency, isFigure: true, cell: ([, requests]) => duration(medianLatency(requests)) },
          { title: texts.cost, isFigure: true, cell: ([, requests]) => rub(costOfRequests(requests)) },
        ]}
      />
    </section>
  );
}

/** Leads to the requests themselves, which say why. */
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

/** Of those that had an answer; undefined where none had. */
function medianLatency(requests: ShownRequest[]): number | undefined {
  const latencies = requests.flatMap(({ latency }) => latency ?? []).toSorted((a, b) => a - b);
  return latencies[Math.floor(latencies.length / 2)];
}
