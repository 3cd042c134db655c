import { useState } from 'preact/hooks';
import { Money } from '../../../../lambdas/money/money.ts';
import { workspaceNames, type AccountData } from '../../account.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { moneyOf, type ExactNumber } from '../../exact-numbers.ts';
import { hashOf, memberHash } from '../../hash-route.ts';
import { DataTable, type Column } from '../../parts/data-table.tsx';
import { ChoiceField } from '../../parts/fields.tsx';

const owners = ['workspace', 'key', 'member'] as const;
type SpendingOwner = (typeof owners)[number];

const periods = ['usage_monthly', 'usage_weekly', 'usage_daily', 'usage'] as const;
type Period = (typeof periods)[number];

interface SpendingRow extends Record<Period, ExactNumber> {
  id: string;
  name: string;
  href: string;
}

/** Table of the current spending of workspaces, keys or members, highest in this month first. */
export function SpendingNow({ data }: { data: AccountData }) {
  const { texts } = useConsole();
  const { rub } = useFormats();
  const [by, setBy] = useState<SpendingOwner>('workspace');
  const rows = spendingByOwner(data)[by].toSorted((a, b) => moneyOf(b.usage_monthly).compare(moneyOf(a.usage_monthly)));
  const titles: Record<Period, string> = {
    usage_monthly: texts.thisMonth,
    usage_weekly: texts.thisWeek,
    usage_daily: texts.today,
    usage: texts.allTime,
  };
  const amounts = periods.map((period): Column<SpendingRow> => ({
    title: titles[period],
    isFigure: true,
    cell: (row) => rub(row[period]),
    total: rub(Money.sum(rows.map((row) => moneyOf(row[period])))),
  }));
  return (
    <section>
      <h2>{texts.spending}</h2>
      <ChoiceField
        label={texts.by}
        value={by}
        choices={owners.map((name) => [name, texts.dimensions[name]])}
        onChange={(value) => setBy(value as SpendingOwner)}
      />
      <DataTable
        caption={texts.spending}
        rows={rows}
        rowKey={({ id }) => id}
        columns={[
          {
            title: texts.dimensions[by],
            cell: ({ name, href }) => <a href={href}>{name}</a>,
            total: texts.totalOfRows,
          },
          ...amounts,
        ]}
      />
    </section>
  );
}

function spendingByOwner(data: AccountData): Record<SpendingOwner, SpendingRow[]> {
  const names = workspaceNames(data);
  return {
    workspace: data.workspaces.map((one) => ({ ...one, href: hashOf('workspaces', one.id) })),
    key: data.keys.map((one) => ({ ...one, id: one.hash, href: hashOf('generations', undefined, { key: one.hash }) })),
    member: data.members.map((one) => ({
      ...one,
      id: `${one.workspace_id} ${one.id}`,
      name: `${names.get(one.workspace_id) ?? one.workspace_id} / ${one.id}`,
      href: memberHash(one.id, one.workspace_id),
    })),
  };
}
