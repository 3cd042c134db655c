import { useState } from 'preact/hooks';
import type { DataOf, ListOf, ShownWorkspace } from '../answers.ts';
import { useConsole, useFormats } from '../environment.ts';
import { changeNameAfter, newChangeName } from '../change-name.ts';
import { hashOf } from '../hash-route.ts';
import { useLoaded } from '../loaded.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Failure, WhenLoaded } from '../parts/notice.tsx';

export function WorkspacesPage() {
  const { texts, client } = useConsole();
  const { rub } = useFormats();
  const [isOpen, setIsOpen] = useState(false);
  const workspaces = useLoaded(
    async (signal) => (await client.read<ListOf<ShownWorkspace>>('/workspaces', signal)).body.data,
    [client],
  );
  return (
    <>
      <h1>{texts.pages.workspaces}</h1>
      <p class="actions">
        <button type="button" class="main" onClick={() => setIsOpen(true)}>
          {texts.newWorkspace}
        </button>
      </p>
      <WhenLoaded of={workspaces}>
        {(rows) => (
          <DataTable
            caption={texts.pages.workspaces}
            rows={rows}
            rowKey={({ id }) => id}
            columns={[
              {
                title: texts.name,
                cell: ({ id, name, slug }) => (
                  <>
                    <a href={hashOf('workspaces', id)}>{name}</a> <code class="quiet">{slug}</code>
                  </>
                ),
              },
              {
                title: texts.status,
                cell: ({ status }) => (
                  <span class={`badge ${status === 'active' ? 'good' : ''}`}>{texts.workspaceStatuses[status]}</span>
                ),
              },
              { title: texts.today, isFigure: true, cell: ({ usage_daily }) => rub(usage_daily) },
              { title: texts.thisMonth, isFigure: true, cell: ({ usage_monthly }) => rub(usage_monthly) },
              { title: texts.allTime, isFigure: true, cell: ({ usage }) => rub(usage) },
            ]}
          />
        )}
      </WhenLoaded>
      {isOpen && <NewWorkspace onClose={() => setIsOpen(false)} />}
    </>
  );
}

function NewWorkspace({ onClose }: { onClose: () => void }) {
  const { texts, client } = useConsole();
  const [name, setName] = useState('');
  const [slug, setSlug] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const [once, setOnce] = useState(newChangeName);
  const create = async (event: Event) => {
    event.preventDefault();
    try {
      const body = { name, slug };
      const made = await client.change<DataOf<ShownWorkspace>>('POST', '/workspaces', { body, once });
      location.hash = hashOf('workspaces', made.body.data.id);
    } catch (error) {
      setFailure(error);
      setOnce(changeNameAfter(error, once));
    }
  };
  return (
    <Dialog title={texts.newWorkspace} onClose={onClose}>
      <form onSubmit={(event) => void create(event)}>
        <TextField label={texts.name} value={name} onInput={setName} isRequired />
        <TextField label={texts.slug} value={slug} onInput={setSlug} isRequired hint={texts.slugHint} />
        <Failure failure={failure} />
        <button type="submit" class="main">
          {texts.create}
        </button>
      </form>
    </Dialog>
  );
}
