import { useState } from 'preact/hooks';
import type { ListOf, ShownMember } from '../../answers.ts';
import { useConsole, useFormats } from '../../environment.ts';
import { changeNameAfter, newChangeName } from '../../change-name.ts';
import { memberHash } from '../../hash-route.ts';
import { useLoaded } from '../../loaded.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Confirmation, Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/fields.tsx';
import { Failure, WhenLoaded } from '../../parts/notice.tsx';
import { BudgetEditor } from './budget-editor.tsx';

type MemberDialogState = { kind: 'budgets' | 'remove'; id: string } | undefined;

interface FailedChange {
  sent: string;
  /** Idempotency key of the next attempt. */
  once: string;
}

interface MembersSectionProps {
  path: string;
  /** Id of the member whose budgets are initially open. */
  opensBudgetsOf?: string | undefined;
}

export function MembersSection({ path, opensBudgetsOf }: MembersSectionProps) {
  const { texts, client } = useConsole();
  const [opened, setOpened] = useState<MemberDialogState>(
    opensBudgetsOf === undefined ? undefined : { kind: 'budgets', id: opensBudgetsOf },
  );
  const [failure, setFailure] = useState<unknown>();
  const [failed, setFailed] = useState<FailedChange>();
  const members = useLoaded(
    async (signal) => (await client.read<ListOf<ShownMember>>(`${path}/members`, signal)).body,
    [client, path],
  );
  const change = async (verb: 'add' | 'remove', ids: string[]): Promise<boolean> => {
    setFailure(undefined);
    const sent = [path, verb, ...ids].join(' ');
    const once = failed?.sent === sent ? failed.once : newChangeName();
    try {
      await client.change('POST', `${path}/members/${verb}`, { body: { user_ids: ids }, once });
    } catch (error) {
      setFailure(error);
      setFailed({ sent, once: changeNameAfter(error, once) });
      return false;
    }
    setFailed(undefined);
    setOpened(undefined);
    members.reload();
    return true;
  };
  return (
    <section>
      <h2>{texts.members}</h2>
      <AddMembers onAdd={(ids) => change('add', ids)} />
      <WhenLoaded of={members}>
        {({ data, total_count }) => (
          <>
            <MemberTable rows={data} onOpen={setOpened} />
            {total_count > data.length && <p class="quiet">{texts.firstRows(data.length, total_count)}</p>}
          </>
        )}
      </WhenLoaded>
      {opened === undefined && <Failure failure={failure} />}
      {opened?.kind === 'budgets' && (
        <Dialog title={opened.id} onClose={() => setOpened(undefined)}>
          <BudgetEditor path={`${path}/members/${encodeURIComponent(opened.id)}/budgets`} title={texts.budgets} />
        </Dialog>
      )}
      {opened?.kind === 'remove' && (
        <Confirmation
          title={texts.removeMember}
          question={texts.removeMemberQuestion(opened.id)}
          action={texts.remove}
          onConfirm={() => void change('remove', [opened.id])}
          onClose={() => setOpened(undefined)}
        >
          <Failure failure={failure} />
        </Confirmation>
      )}
    </section>
  );
}

interface AddMembersProps {
  /** @returns whether the members were added */
  onAdd: (ids: string[]) => Promise<boolean>;
}

/** Form that keeps the typed ids if they cannot be added. */
function AddMembers({ onAdd }: AddMembersProps) {
  const { texts } = useConsole();
  const [typed, setTyped] = useState('');
  const ids = typed.split(/[\s,]+/).filter((id) => id !== '');
  const add = async (event: Event) => {
    event.preventDefault();
    if (ids.length === 0 || (await onAdd(ids))) setTyped('');
  };
  return (
    <form class="filters" onSubmit={(event) => void add(event)}>
      <TextField label={texts.newMembers} value={typed} onInput={setTyped} hint={texts.newMembersHint} />
      <button type="submit">{texts.add}</button>
    </form>
  );
}

function MemberTable({ rows, onOpen }: { rows: ShownMember[]; onOpen: (opened: MemberDialogState) => void }) {
  const { texts } = useConsole();
  const { rub, day } = useFormats();
  return (
    <DataTable
      caption={texts.members}
      rows={rows}
      rowKey={({ id }) => id}
      columns={[
        { title: texts.member, cell: ({ id, workspace_id }) => <a href={memberHash(id, workspace_id)}>{id}</a> },
        { title: texts.added, cell: ({ created_at }) => day(created_at) },
        { title: texts.today, isFigure: true, cell: ({ usage_daily }) => rub(usage_daily) },
        { title: texts.thisWeek, isFigure: true, cell: ({ usage_weekly }) => rub(usage_weekly) },
        { title: texts.thisMonth, isFigure: true, cell: ({ usage_monthly }) => rub(usage_monthly) },
        {
          title: texts.budgets,
          cell: ({ budgets }) =>
            budgets.length === 0
              ? '—'
              : budgets.map(({ interval, limit_rub }) => `${texts.intervals[interval]}: ${rub(limit_rub)}`).join('; '),
        },
        {
          title: texts.actions,
          cell: ({ id }) => (
            <span class="actions">
              <button
                type="button"
                aria-label={`${texts.budgets}: ${id}`}
                onClick={() => onOpen({ kind: 'budgets', id })}
              >
                {texts.budgets}
              </button>
              <button
                type="button"
                aria-label={`${texts.remove}: ${id}`}
                onClick={() => onOpen({ kind: 'remove', id })}
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
