import type { ShownKey, ShownRequest } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { DataTable, type Column } from './data-table.tsx';
import { StatusBadge } from './status-badge.tsx';

/**
 * Table of requests grouped by day.
 * @param keys keys whose names are shown
 */
export function RequestTable({ rows, keys }: { rows: readonly ShownRequest[]; keys: readonly ShownKey[] }) {
  const { texts } = useConsole();
  const { rub, count, day, clock, duration } = useFormats();
  const keyNames = new Map(keys.map(({ hash, name }) => [hash, name]));
  return (
    <DataTable
      caption={texts.pages.generations}
      look="requests"
      rows={rows}
      rowKey={({ id }) => id}
      groupOf={({ created_at }) => `${day(created_at)}, UTC`}
      empty={texts.noRequests}
      columns={[
        {
          title: texts.time,
          look: 'time',
          cell: ({ id, created_at }) => <a href={hashOf('generations', id)}>{clock(created_at)}</a>,
        },
        {
          title: texts.status,
          look: 'status',
          cell: (row) => (
            <a class="plain" href={hashOf('generations', row.id)}>
              <StatusBadge request={row} />
            </a>
          ),
        },
        clipped('model', texts.model, ({ model }) => model ?? '—'),
        clipped('provider', texts.provider, ({ provider_name }) => provider_name ?? '—'),
        {
          title: texts.tokens,
          look: 'tokens',
          isFigure: true,
          cell: ({ tokens_prompt: read, tokens_completion: written }) =>
            read === null && written === null ? '—' : `${count(read)} → ${count(written)}`,
        },
        { title: texts.latency, look: 'latency', isFigure: true, cell: ({ latency }) => duration(latency) },
        { title: texts.cost, look: 'cost', isFigure: true, cell: ({ total_cost }) => rub(total_cost) },
        clipped('key', texts.key, ({ api_key_hash }) => keyNames.get(api_key_hash) ?? api_key_hash.slice(0, 8)),
        clipped('member', texts.member, ({ user_id }) => user_id ?? '—'),
      ]}
    />
  );
}

/** Returns a column whose long texts are shortened; the cell's HTML title contains the whole text. */
function clipped(look: string, title: string, textOf: (request: ShownRequest) => string): Column<ShownRequest> {
  return {
    title,
    look,
    cell: (request) => (
      <span class="clipped" title={textOf(request)}>
        {textOf(request)}
      </span>
    ),
  };
}
