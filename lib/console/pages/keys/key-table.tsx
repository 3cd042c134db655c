import type { ShownKey, ShownWorkspace } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import type { ExactNumber } from '../../exact-numbers.ts';
import { hashOf, memberHash } from '../../hash-route.ts';
import { spentInPeriod } from '../../limit-rows.ts';
import { workspaceNames } from '../../account.ts';
import { DataTable } from '../../parts/data-table.tsx';

interface KeyTableProps {
  rows: ShownKey[];
  workspaces: ShownWorkspace[];
  onEdit: (key: ShownKey) => void;
  onRotate: (key: ShownKey) => void;
  onDelete: (key: ShownKey) => void;
}

interface Shown {
  shown: ShownKey;
}

export function KeyTable({ rows, workspaces, onEdit, onRotate, onDelete }: KeyTableProps) {
  const { texts } = useConsole();
  const { rub, day } = useFormats();
  const names = workspaceNames({ workspaces });
  return (
    <DataTable
      caption={texts.pages.keys}
      rows={rows}
      rowKey={({ hash }) => hash}
      empty={texts.noKeys}
      columns={[
        { title: texts.name, cell: (key) => <KeyName shown={key} /> },
        { title: texts.status, cell: (key) => <KeyState shown={key} /> },
        {
          title: texts.workspace,
          cell: ({ workspace_id }) => (
            <a href={hashOf('workspaces', workspace_id)}>{names.get(workspace_id) ?? workspace_id}</a>
          ),
        },
        {
          title: texts.member,
          cell: ({ member_id, workspace_id }) =>
            member_id === null ? '—' : <a href={memberHash(member_id, workspace_id)}>{member_id}</a>,
        },
        {
          title: texts.limit,
          isFigure: true,
          cell: ({ limit, limit_reset }) =>
            limit === null ? '—' : <OfPeriod amount={limit} interval={limit_reset ?? 'lifetime'} />,
        },
        {
          title: texts.spent,
          isFigure: true,
          cell: (key) => (
            <OfPeriod
              amount={spentInPeriod(key)}
              interval={key.limit === null ? 'monthly' : (key.limit_reset ?? 'lifetime')}
            />
          ),
        },
        { title: texts.left, isFigure: true, cell: ({ limit_remaining }) => rub(limit_remaining) },
        { title: texts.useLimits, cell: (key) => <UseLimitsOf shown={key} /> },
        { title: texts.expires, cell: ({ expires_at }) => (expires_at === null ? '—' : day(expires_at)) },
        {
          title: texts.actions,
          cell: (key) => (
            <span class="actions">
              <button type="button" aria-label={`${texts.edit}: ${key.name}`} onClick={() => onEdit(key)}>
                {texts.edit}
              </button>
              <button type="button" aria-label={`${texts.newSecret}: ${key.name}`} onClick={() => onRotate(key)}>
                {texts.newSecret}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={`${texts.remove}: ${key.name}`}
                onClick={() => onDelete(key)}
              >
                {texts.remove}
              </button>
            </span>
          ),
        },
      ]}
    />
  );
}

function OfPeriod({ amount, interval }: { amount: ExactNumber; interval: string }) {
  const { texts } = useConsole();
  const { rub } = useFormats();
  return (
    <>
      {rub(amount)}
      <small class="quiet period">{texts.intervals[interval] ?? interval}</small>
    </>
  );
}

function UseLimitsOf({ shown }: Shown) {
  const { rpm_limit, tpm_limit, parallel_limit, allowed_models, allowed_networks, required_tags } = shown;
  const { texts } = useConsole();
  const lines = [
    rpm_limit === null ? '' : texts.requestsPerMinute(rpm_limit),
    tpm_limit === null ? '' : texts.tokensPerMinute(tpm_limit),
    parallel_limit === null ? '' : texts.requestsAtOnce(parallel_limit),
    allowed_models === null ? '' : allowed_models.join(', '),
    allowed_networks === null ? '' : allowed_networks.join(', '),
    ...Object.entries(required_tags ?? {})
      .toSorted()
      .map(([name, values]) => texts.requiredTag(name, values?.join(', '))),
  ].filter(Boolean);
  return lines.length === 0 ? (
    <>—</>
  ) : (
    <>
      {lines.map((line) => (
        <small key={line} class="quiet period">
          {line}
        </small>
      ))}
    </>
  );
}

function KeyName({ shown: { name, label, hash, tags } }: Shown) {
  return (
    <>
      <a href={hashOf('generations', undefined, { key: hash })}>{name}</a> <code class="quiet">{label}</code>
      {Object.entries(tags).map((tag) => (
        <span key={tag[0]} class="quiet">
          {' '}
          {tag.join('=')}
        </span>
      ))}
    </>
  );
}

function KeyState({ shown: { disabled, expires_at } }: Shown) {
  const { texts } = useConsole();
  if (disabled) return <span class="badge bad">{texts.disabled}</span>;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return isExpired ? <span class="badge bad">{texts.expired}</span> : <span class="badge good">{texts.works}</span>;
}
