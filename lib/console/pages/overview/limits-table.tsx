import type { AccountData } from '../../account.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf, shareOf } from '../../exact-numbers.ts';
import { limitRowsOf, type LimitRow } from '../../limit-rows.ts';
import { Bar } from '../../parts/bar.tsx';
import { DataTable } from '../../parts/data-table.tsx';

export function LimitsTable({ data }: { data: AccountData }) {
  const { texts } = useConsole();
  const { rub } = useFormats();
  const rows = limitRowsOf(data);
  return (
    <section>
      <h2>{texts.limits}</h2>
      <DataTable
        caption={texts.limits}
        rows={rows}
        rowKey={({ id }) => id}
        empty={texts.noLimits}
        columns={[
          { title: texts.whose, cell: (row) => <LimitOwner row={row} /> },
          { title: texts.period, cell: (row) => <PeriodText row={row} /> },
          { title: texts.limit, isFigure: true, cell: ({ limit }) => rub(limit) },
          { title: texts.spent, isFigure: true, cell: ({ spent }) => rub(spent) },
          {
            title: texts.held,
            isFigure: true,
            cell: ({ held, isHeldAtLeast }) => `${isHeldAtLeast ? '≥\u00a0' : ''}${rub(held)}`,
          },
          { title: texts.left, isFigure: true, cell: ({ left }) => rub(left) },
          { title: texts.runsOut, cell: (row) => <RunOutText row={row} /> },
        ]}
      />
      {rows.length > 0 && <p class="quiet">{texts.runOutHint}</p>}
    </section>
  );
}

function LimitOwner({ row: { owner, name, href, spent, limit, held } }: { row: LimitRow }) {
  const { texts } = useConsole();
  const whole = moneyOf(limit);
  return (
    <>
      <small class="quiet">{texts.owners[owner]}</small> {href === undefined ? name : <a href={href}>{name}</a>}
      <Bar spent={shareOf(moneyOf(spent), whole)} held={held === null ? 0 : shareOf(held, whole)} />
    </>
  );
}

function PeriodText({ row: { interval, resetsAtMs } }: { row: LimitRow }) {
  const { texts } = useConsole();
  const { day } = useFormats();
  const name = texts.intervals[interval] ?? interval;
  return <>{resetsAtMs === null ? name : texts.periodUntil(name, day(resetsAtMs))}</>;
}

function RunOutText({ row: { runOut } }: { row: LimitRow }) {
  const { texts } = useConsole();
  const { day } = useFormats();
  switch (runOut.kind) {
    case 'is_out':
      return <span class="badge bad">{texts.isOut}</span>;
    case 'no_pace':
      return <span class="quiet">{texts.noPace}</span>;
    case 'lasts':
      return <span>{texts.lasts}</span>;
    case 'at':
      return <span class="badge warning">≈ {day(runOut.atMs)}</span>;
  }
}
