import { useState } from 'preact/hooks';
import type { AccountData } from '../../account-data.ts';
import { useConsole, useFormats } from '../../environment.ts';
import type { ExactNumber } from '../../exact-numbers.ts';
import { hashOf, memberHash } from '../../hash-route.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { ChoiceField } from '../../parts/fields.tsx';

const owners = ['workspace', 'key', 'member', 'model'] as const;
type SpendingOwner = (typeof owners)[number];

interface SpendingRow {
  id: string;
  name: string;
  href: string;
  usage_daily: ExactNumber;
  usage_weekly: ExactNumber;
  usage_monthly: ExactNumber;
  /** Of models no sum of all times is kept. */
  usage: ExactNumber | null;
}

/** What each workspace, key, member and model has cost today, this week and this month: the sums of the books, as they are now. */
export function SpendingNow({ data }: { data: AccountData }) {
  const { texts } = useConsole();
  const { rub, day } = useFormats();
  const [by, setBy] = useState<SpendingOwner>('workspace');
  const { counted_from: countedFrom } = data.models;
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
        rows={spendingByOwner(data)[by]}
        rowKey={({ id }) => id}
        columns={[
          { title: texts.dimensions[by], cell: ({ name, href }) => <a href={href}>{name}</a> },
          { title: texts.today, isFigure: true, cell: ({ usage_daily }) => rub(usage_daily) },
          { title: texts.thisWeek, isFigure: true, cell: ({ usage_weekly }) => rub(usage_weekly) },
          { title: texts.thisMonth, isFigure: true, cell: ({ usage_monthly }) => rub(usage_monthly) },
          ...(by === 'model'
            ? []
            : [{ title: texts.allTime, isFigure: true, cell: ({ usage }: SpendingRow) => rub(usage) }]),
        ]}
      />
      {by === 'model' && countedFrom !== null && <p class="quiet">{texts.modelsCountedFrom(day(countedFrom))}</p>}
    </section>
  );
}

function spendingByOwner({ workspaces, keys, members, models }: AccountData): Record<SpendingOwner, SpendingRow[]> {
  const slugs = new Map(workspaces.map(({ id, slug }) => [id, slug]));
  return {
    workspace: workspaces.map((one) => ({ ...one, name: one.slug, href: hashOf('workspaces', one.id) })),
    key: keys.map((one) => ({ ...one, id: one.hash, href: hashOf('generations', undefined, { key: one.hash }) })),
    member: members.map((one) => ({
      ...one,
      id: `${one.workspace_id} ${one.id}`,
      name: `${slugs.get(one.workspace_id) ?? one.workspace_id} / ${one.id}`,
      href: memberHash(one.id, one.workspace_id),
    })),
    model: models.data.map(({ model, ...sums }) => ({
      ...sums,
      id: model,
      name: model,
      href: hashOf('generations', undefined, { model }),
      usage: null,
    })),
  };
}
