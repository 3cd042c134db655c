import { useState } from 'preact/hooks';
import type { ShownRequest } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { StatusBadge } from '../parts/status-badge.tsx';
import { requestStatusNames } from '../texts/languages.ts';

const REFRESH_MS = 4_000;
const PAGE_ROWS = 50;

interface RequestPage {
  data: ShownRequest[];
  next_cursor: string | null;
}

const filterNames = ['key', 'member', 'model', 'status', 'from', 'to'] as const;
type Filters = Record<(typeof filterNames)[number], string>;

/** Requests of the account, newest first, as they come. The filters are in the address, so that a list can be sent to somebody. */
export function GenerationsPage({ query }: { query: URLSearchParams }) {
  const { texts, client } = useConsole();
  const filters = Object.fromEntries(filterNames.map((name) => [name, query.get(name) ?? ''])) as Filters;
  const cursor = query.get('cursor') ?? '';
  const path = pathOf(filters, cursor);
  // Older pages do not change.
  const page = useLoaded(
    async (signal) => (await client.read<RequestPage>(path, signal)).body,
    [client, path],
    cursor === '' ? REFRESH_MS : undefined,
  );
  return (
    <>
      <h1>{texts.pages.generations}</h1>
      <FilterForm key={path} filters={filters} />
      <WhenLoaded of={page}>
        {({ data, next_cursor }) => (
          <>
            <RequestTable rows={data} />
            <p class="actions">
              {cursor !== '' && <a href={hashOf('generations', undefined, filters)}>{texts.newest}</a>}
              {next_cursor !== null && (
                <a href={hashOf('generations', undefined, { ...filters, cursor: next_cursor })}>{texts.older}</a>
              )}
            </p>
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function pathOf({ key, member, model, status, from, to }: Filters, cursor: string): string {
  const asked = { api_key_hash: key, user_id: member, model, status, from, to, cursor, limit: String(PAGE_ROWS) };
  return `/generations?${new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString()}`;
}

function FilterForm({ filters }: { filters: Filters }) {
  const { texts } = useConsole();
  const [typed, setTyped] = useState(filters);
  const put = (name: keyof Filters) => (value: string) => setTyped({ ...typed, [name]: value.trim() });
  const statuses = requestStatusNames.map((name) => [name, texts.statuses[name]] as const);
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        location.hash = hashOf('generations', undefined, typed);
      }}
    >
      <TextField label={texts.keyHash} value={typed.key} onInput={put('key')} />
      <TextField label={texts.member} value={typed.member} onInput={put('member')} />
      <TextField label={texts.model} value={typed.model} onInput={put('model')} />
      <ChoiceField
        label={texts.status}
        value={typed.status}
        choices={[['', texts.any], ...statuses]}
        onChange={put('status')}
      />
      <TextField label={texts.fromDay} value={typed.from} type="date" onInput={put('from')} />
      <TextField label={texts.toDay} value={typed.to} type="date" onInput={put('to')} />
      <button type="submit">{texts.filter}</button>
    </form>
  );
}

function RequestTable({ rows }: { rows: ShownRequest[] }) {
  const { texts } = useConsole();
  const { rub, count, time, duration } = useFormats();
  return (
    <DataTable
      caption={texts.pages.generations}
      rows={rows}
      rowKey={({ id }) => id}
      empty={texts.noRequests}
      columns={[
        { title: texts.time, cell: ({ id, created_at }) => <a href={hashOf('generations', id)}>{time(created_at)}</a> },
        { title: texts.status, cell: (row) => <StatusBadge request={row} /> },
        { title: texts.model, cell: ({ model }) => model ?? '—' },
        { title: texts.provider, cell: ({ provider_name }) => provider_name ?? '—' },
        {
          title: texts.tokens,
          isFigure: true,
          cell: ({ tokens_prompt, tokens_completion }) => `${count(tokens_prompt)} → ${count(tokens_completion)}`,
        },
        { title: texts.latency, isFigure: true, cell: ({ latency }) => duration(latency) },
        { title: texts.cost, isFigure: true, cell: ({ total_cost }) => rub(total_cost) },
        { title: texts.member, cell: ({ user_id }) => user_id ?? '—' },
      ]}
    />
  );
}
