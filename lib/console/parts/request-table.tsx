import type { ShownKey, ShownRequest } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { DataTable } from './data-table.tsx';
import { StatusBadge } from './status-badge.tsx';

/** Requests, each with a link to all that is known of it. @param keys of which names are known */
export function RequestTable({ rows, keys }: { rows: readonly ShownRequest[]; keys: readonly ShownKey[] }) {
  const { texts } = useConsole();
  const { rub, count, time, duration } = useFormats();
  const keyNames = new Map(keys.map(({ hash, name }) => [hash, name]));
  return (
    <DataTable
      caption={texts.pages.generations}
      rows={rows}
      rowKey={({ id }) => id}
      empty={texts.noRequests}
      columns={[
        { title: texts.time, cell: ({ id, created_at }) => <a href={hashOf('generations', id)}>{time(created_at)}</a> },
        {
          title: texts.status,
          cell: (row) => (
            <a class="plain" href={hashOf('generations', row.id)}>
              <StatusBadge request={row} />
            </a>
          ),
        },
        { title: texts.model, cell: ({ model }) => model ?? '—' },
        { title: texts.provider, cell: ({ provider_name }) => provider_name ?? '—' },
        {
          title: texts.tokens,
          isFigure: true,
          cell: ({ tokens_prompt: read, tokens_completion: written }) =>
            read === null && written === null ? '—' : `${count(read)} → ${count(written)}`,
        },
        { title: texts.latency, isFigure: true, cell: ({ latency }) => duration(latency) },
        { title: texts.cost, isFigure: true, cell: ({ total_cost }) => rub(total_cost) },
        { title: texts.key, cell: ({ api_key_hash }) => keyNames.get(api_key_hash) ?? api_key_hash.slice(0, 8) },
        { title: texts.member, cell: ({ user_id }) => user_id ?? '—' },
      ]}
    />
  );
}
