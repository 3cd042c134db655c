import { useMemo } from 'preact/hooks';
import { utcDate } from '../../../lambdas/money/periods.ts';
import { dataOfMember, type AccountData } from '../account.ts';
import { ACCOUNT_REFRESH_MS, readAccountData } from '../account-data.ts';
import type { ShownKey, ShownMember } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { budgetsOfMemberHash, hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { mondayAt, weekByModel } from '../member-data.ts';
import { DataTable } from '../parts/data-table.tsx';
import { RequestTable } from '../parts/request-table.tsx';
import { Tiles } from '../parts/tiles.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { useRequestSearch } from '../use-request-search.ts';
import { LimitsTable } from './overview/limits-table.tsx';

/** Maximum number of today's requests that are read. */
const MAX_ADDED_UP = 2_000;
const ROWS_SHOWN = 10;

/** Page of one member: spending, limits, keys, models of the week, and requests of today. */
export function MemberPage({ id, workspaceId }: { id: string; workspaceId: string }) {
  const { texts, client } = useConsole();
  const account = useLoaded((signal) => readAccountData(client, signal), [client], ACCOUNT_REFRESH_MS);
  return (
    <>
      <p>
        <a href={hashOf('workspaces', workspaceId)}>← {workspaceName(account.value, workspaceId) ?? texts.workspace}</a>
      </p>
      <h1>
        {texts.member}: {id}
      </h1>
      <p>
        <a href={budgetsOfMemberHash(id, workspaceId)}>{texts.changeBudgets}</a>
      </p>
      <WhenLoaded of={account}>
        {(data) => {
          const member = data.members.find((one) => one.id === id && one.workspace_id === workspaceId);
          return member ? <MemberView data={data} member={member} /> : <p>{texts.memberNotListed}</p>;
        }}
      </WhenLoaded>
    </>
  );
}

function workspaceName(data: AccountData | undefined, id: string): string | undefined {
  return data?.workspaces.find((workspace) => workspace.id === id)?.name;
}

function MemberView({ data, member }: { data: AccountData; member: ShownMember }) {
  const { texts } = useConsole();
  const own = useMemo(() => dataOfMember(data, member), [data, member]);
  return (
    <>
      <Tiles
        figures={[
          [texts.today, member.usage_daily],
          [texts.thisWeek, member.usage_weekly],
          [texts.thisMonth, member.usage_monthly],
          [texts.allTime, member.usage],
        ]}
      />
      <LimitsTable data={own} />
      <KeysOfMember keys={own.keys} />
      <RequestsOfMember data={own} member={member} />
    </>
  );
}

function KeysOfMember({ keys }: { keys: readonly ShownKey[] }) {
  const { texts } = useConsole();
  const { rub } = useFormats();
  return (
    <section>
      <h2>{texts.pages.keys}</h2>
      <DataTable
        caption={texts.pages.keys}
        rows={keys}
        rowKey={({ hash }) => hash}
        empty={texts.noKeys}
        columns={[
          {
            title: texts.key,
            cell: ({ hash, name }) => <a href={hashOf('generations', undefined, { key: hash })}>{name}</a>,
          },
          { title: texts.thisWeek, isFigure: true, cell: ({ usage_weekly }) => rub(usage_weekly) },
          { title: texts.limit, isFigure: true, cell: ({ limit }) => (limit === null ? texts.noLimit : rub(limit)) },
          { title: texts.left, isFigure: true, cell: ({ limit_remaining }) => rub(limit_remaining) },
        ]}
      />
    </section>
  );
}

/** Shows the models of the week and today's requests. Both tables use the same list of today's requests. */
function RequestsOfMember({ data, member }: { data: AccountData; member: ShownMember }) {
  const { texts, client } = useConsole();
  const { rub, count } = useFormats();
  const filters = { user_id: member.id, workspace_id: member.workspace_id };
  const today = useRequestSearch(
    client,
    { filters, from: utcDate(data.readAtMs), cursor: '', rows: MAX_ADDED_UP },
    ACCOUNT_REFRESH_MS,
  );
  const week = weekByModel(data, member, today.rows);
  return (
    <>
      <section>
        <h2>{texts.modelsOfWeek}</h2>
        <DataTable
          caption={texts.modelsOfWeek}
          rows={week}
          rowKey={({ model }) => model}
          empty={texts.nothingThisWeek}
          columns={[
            { title: texts.model, cell: ({ model }) => model },
            { title: texts.requests, isFigure: true, cell: ({ requests }) => count(requests) },
            { title: texts.cost, isFigure: true, cell: ({ cost }) => rub(cost) },
          ]}
        />
        <p class="quiet">{today.cursor === null ? texts.weekHint : texts.weekIsPartial(count(today.rows.length))}</p>
      </section>
      <section>
        <h2>{texts.latestOfToday}</h2>
        <RequestTable rows={today.rows.slice(0, ROWS_SHOWN)} keys={data.keys} />
        <p>
          <a href={hashOf('generations', undefined, weekOf(data, member))}>{texts.allRequests}</a>
        </p>
      </section>
    </>
  );
}

/** Returns the filters for the requests of a member since Monday. */
function weekOf({ readAtMs }: AccountData, { id, workspace_id }: ShownMember): Record<string, string> {
  return { member: id, workspace: workspace_id, from: mondayAt(readAtMs) };
}
