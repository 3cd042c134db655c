import { useState } from 'preact/hooks';
import type { ListOf, ShownKey, ShownWorkspace } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { hashOf, memberHash } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { DataTable } from '../parts/data-table.tsx';
import { ChoiceField } from '../parts/fields.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { DeleteKey } from './keys/delete-key.tsx';
import { EditKey } from './keys/edit-key.tsx';
import { NewKeyDialog } from './keys/new-key.tsx';

const KEYS_PAGE_ROWS = 50;

type KeyDialogState = { kind: 'new' } | { kind: 'edit' | 'delete'; key: ShownKey } | undefined;

/** The keys of a workspace: made, changed, switched off, deleted. */
export function KeysPage({ query }: { query: URLSearchParams }) {
  const { texts, client } = useConsole();
  const [opened, setOpened] = useState<KeyDialogState>();
  const offset = Number(query.get('offset') ?? 0);
  const chosen = query.get('workspace') ?? '';
  const workspaces = useLoaded(
    async (signal) => (await client.read<ListOf<ShownWorkspace>>('/workspaces', signal)).body.data,
    [client],
  );
  const search = new URLSearchParams({ offset: String(offset), limit: String(KEYS_PAGE_ROWS) });
  if (chosen !== '') search.set('workspace_id', chosen);
  const path = `/keys?${search.toString()}`;
  const keys = useLoaded(async (signal) => (await client.read<ListOf<ShownKey>>(path, signal)).body, [client, path]);
  const close = () => setOpened(undefined);
  const changed = () => {
    close();
    keys.reload();
  };
  return (
    <>
      <h1>{texts.pages.keys}</h1>
      <WhenLoaded of={workspaces}>
        {(all) => (
          <>
            <div class="filters">
              <ChoiceField
                label={texts.workspace}
                value={chosen}
                choices={all.map(({ slug, name, is_default }) => [is_default ? '' : slug, name])}
                onChange={(workspace) => (location.hash = hashOf('keys', undefined, { workspace }))}
              />
              <button type="button" class="main" onClick={() => setOpened({ kind: 'new' })}>
                {texts.newKey}
              </button>
            </div>
            {opened?.kind === 'new' && (
              <NewKeyDialog workspaces={all} workspace={chosen} onClose={close} onCreated={keys.reload} />
            )}
          </>
        )}
      </WhenLoaded>
      <WhenLoaded of={keys}>
        {({ data, total_count }) => (
          <>
            <KeyTable rows={data} onOpen={setOpened} />
            <Pages offset={offset} total={total_count} workspace={chosen} />
          </>
        )}
      </WhenLoaded>
      {opened?.kind === 'edit' && <EditKey hash={opened.key.hash} onClose={close} onSaved={changed} />}
      {opened?.kind === 'delete' && <DeleteKey shown={opened.key} onClose={close} onDeleted={changed} />}
    </>
  );
}

function Pages({ offset, total, workspace }: { offset: number; total: number; workspace: string }) {
  const { texts } = useConsole();
  const at = (place: number) => hashOf('keys', undefined, { workspace, offset: String(place) });
  return (
    <p class="actions">
      {offset > 0 && <a href={at(Math.max(0, offset - KEYS_PAGE_ROWS))}>{texts.previous}</a>}
      {offset + KEYS_PAGE_ROWS < total && <a href={at(offset + KEYS_PAGE_ROWS)}>{texts.next}</a>}
    </p>
  );
}

function KeyTable({ rows, onOpen }: { rows: ShownKey[]; onOpen: (opened: KeyDialogState) => void }) {
  const { texts } = useConsole();
  const { rub, time } = useFormats();
  return (
    <DataTable
      caption={texts.pages.keys}
      rows={rows}
      rowKey={({ hash }) => hash}
      empty={texts.noKeys}
      columns={[
        {
          title: texts.name,
          cell: ({ name, label, hash, tags }) => (
            <>
              <a href={hashOf('generations', undefined, { key: hash })}>{name}</a> <code class="quiet">{label}</code>
              {Object.entries(tags).map((tag) => (
                <span key={tag[0]} class="quiet">
                  {' '}
                  {tag.join('=')}
                </span>
              ))}
            </>
          ),
        },
        { title: texts.status, cell: (key) => <KeyState shown={key} /> },
        {
          title: texts.member,
          cell: ({ member_id, workspace_id }) =>
            member_id === null ? '—' : <a href={memberHash(member_id, workspace_id)}>{member_id}</a>,
        },
        {
          title: texts.limit,
          isFigure: true,
          cell: ({ limit, limit_reset }) =>
            limit === null ? '—' : `${rub(limit)} ${texts.intervals[limit_reset ?? 'lifetime'] ?? ''}`,
        },
        { title: texts.left, isFigure: true, cell: ({ limit_remaining }) => rub(limit_remaining) },
        { title: texts.spentInAll, isFigure: true, cell: ({ usage }) => rub(usage) },
        { title: texts.expires, cell: ({ expires_at }) => (expires_at === null ? '—' : time(expires_at)) },
        {
          title: texts.actions,
          cell: (key) => (
            <span class="actions">
              <button
                type="button"
                aria-label={`${texts.edit}: ${key.name}`}
                onClick={() => onOpen({ kind: 'edit', key })}
              >
                {texts.edit}
              </button>
              <button
                type="button"
                aria-label={`${texts.remove}: ${key.name}`}
                onClick={() => onOpen({ kind: 'delete', key })}
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

function KeyState({ shown: { disabled, expires_at } }: { shown: ShownKey }) {
  const { texts } = useConsole();
  if (disabled) return <span class="badge bad">{texts.disabled}</span>;
  const isExpired = expires_at !== null && Date.parse(expires_at) <= Date.now();
  return isExpired ? <span class="badge bad">{texts.expired}</span> : <span class="badge good">{texts.works}</span>;
}
