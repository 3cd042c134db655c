import { useState } from 'preact/hooks';
import { workspaceSlug } from '../account.ts';
import type { ListOf, ShownKey, ShownWorkspace } from '../answers.ts';
import { useConsole } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { fitsSearch } from '../key-search.ts';
import { useLoaded } from '../loaded.ts';
import { readKeysIn } from '../owners.ts';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { WhenLoaded } from '../parts/notice.tsx';
import { DeleteKey } from './keys/delete-key.tsx';
import { EditKey } from './keys/edit-key.tsx';
import { KeyTable } from './keys/key-table.tsx';
import { NewKeyDialog } from './keys/new-key.tsx';
import { RotateKey } from './keys/rotate-key.tsx';

/** Maximum number of rows. The search also finds keys beyond these rows. */
const MAX_KEY_ROWS = 100;

type KeyDialogState = { kind: 'new' } | { kind: 'edit' | 'rotate' | 'delete'; key: ShownKey } | undefined;

/** Page of the keys, with dialogs to create, edit, rotate and delete them. */
export function KeysPage({ query }: { query: URLSearchParams }) {
  const { texts, client } = useConsole();
  const workspaces = useLoaded(
    async (signal) => (await client.read<ListOf<ShownWorkspace>>('/workspaces', signal)).body.data,
    [client],
  );
  return (
    <>
      <h1>{texts.pages.keys}</h1>
      <WhenLoaded of={workspaces}>
        {(all) => <KeysOf workspaces={all} chosen={workspaceSlug({ workspaces: all }, query.get('workspace') ?? '')} />}
      </WhenLoaded>
    </>
  );
}

/** @param chosen slug of a workspace; empty for all */
function KeysOf({ workspaces, chosen }: { workspaces: ShownWorkspace[]; chosen: string }) {
  const { texts, client } = useConsole();
  const [opened, setOpened] = useState<KeyDialogState>();
  const [typed, setTyped] = useState('');
  const wanted = workspaces.filter(({ slug }) => chosen === '' || slug === chosen);
  const found = useLoaded((signal) => readKeysIn(client, wanted, signal), [client, chosen]);
  const close = () => setOpened(undefined);
  const changed = () => {
    close();
    found.reload();
  };
  return (
    <>
      <div class="filters">
        <TextField
          label={texts.search}
          value={typed}
          type="search"
          onInput={setTyped}
          placeholder={texts.keySearchHint}
        />
        <ChoiceField
          label={texts.workspace}
          value={chosen}
          choices={[['', texts.any], ...workspaces.map(({ slug, name }) => [slug, name] as const)]}
          onChange={(workspace) => (location.hash = hashOf('keys', undefined, { workspace }))}
        />
        <button type="button" class="main" onClick={() => setOpened({ kind: 'new' })}>
          {texts.newKey}
        </button>
      </div>
      <WhenLoaded of={found}>
        {({ keys, isPartial }) => (
          <>
            {isPartial && <p class="notice">{texts.keysPartial}</p>}
            <FittingKeys
              fitting={keys.filter((key) => fitsSearch(key, typed))}
              workspaces={workspaces}
              onOpen={setOpened}
            />
          </>
        )}
      </WhenLoaded>
      {opened?.kind === 'new' && (
        <NewKeyDialog workspaces={workspaces} workspace={chosen} onClose={close} onCreated={found.reload} />
      )}
      {opened?.kind === 'edit' && <EditKey hash={opened.key.hash} onClose={close} onSaved={changed} />}
      {opened?.kind === 'rotate' && <RotateKey shown={opened.key} onClose={close} onRotated={found.reload} />}
      {opened?.kind === 'delete' && <DeleteKey shown={opened.key} onClose={close} onDeleted={changed} />}
    </>
  );
}

interface FittingKeysProps {
  fitting: ShownKey[];
  workspaces: ShownWorkspace[];
  onOpen: (opened: KeyDialogState) => void;
}

function FittingKeys({ fitting, workspaces, onOpen }: FittingKeysProps) {
  const { texts } = useConsole();
  return (
    <>
      <KeyTable
        rows={fitting.slice(0, MAX_KEY_ROWS)}
        workspaces={workspaces}
        onEdit={(key) => onOpen({ kind: 'edit', key })}
        onRotate={(key) => onOpen({ kind: 'rotate', key })}
        onDelete={(key) => onOpen({ kind: 'delete', key })}
      />
      {fitting.length > MAX_KEY_ROWS && <p class="quiet">{texts.firstRows(MAX_KEY_ROWS, fitting.length)}</p>}
    </>
  );
}
