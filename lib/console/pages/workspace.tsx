import { useState } from 'preact/hooks';
import type { ShownWorkspace } from '../answers.ts';
import { useConsole } from '../environment.ts';
import { hashOf } from '../hash-route.ts';
import { ConflictNotice } from '../parts/conflict-notice.tsx';
import { Confirmation } from '../parts/dialog.tsx';
import { TextField } from '../parts/fields.tsx';
import { Failure, WhenLoaded } from '../parts/notice.tsx';
import { useVersioned, useVersionedSave, type Versioned } from '../versioned.ts';
import { BudgetEditor } from './workspace/budget-editor.tsx';
import { MembersSection } from './workspace/members-section.tsx';

export function WorkspacePage({ id, query }: { id: string; query: URLSearchParams }) {
  const { texts } = useConsole();
  const path = `/workspaces/${encodeURIComponent(id)}`;
  const { loaded, readAgain } = useVersioned<ShownWorkspace>(path);
  return (
    <>
      <p>
        <a href={hashOf('workspaces')}>← {texts.pages.workspaces}</a>
      </p>
      <WhenLoaded of={loaded}>
        {(found) => (
          <>
            <h1>{found.value.name}</h1>
            <SettingsForm
              key={found.etag}
              path={path}
              found={found}
              readAgain={readAgain}
              onSaved={() => loaded.reload()}
            />
            <BudgetEditor path={`${path}/budgets`} title={texts.budgetsOfWorkspace} />
            <MembersSection path={path} opensBudgetsOf={query.get('budgets') ?? undefined} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

interface SettingsFormProps {
  path: string;
  found: Versioned<ShownWorkspace>;
  readAgain: () => Promise<Versioned<ShownWorkspace>>;
  onSaved: () => void;
}

function SettingsForm({ path, found, readAgain, onSaved }: SettingsFormProps) {
  const { texts, client } = useConsole();
  const [name, setName] = useState(found.value.name);
  const [description, setDescription] = useState(found.value.description);
  const [isDeleting, setIsDeleting] = useState(false);
  const { theirs, failure, isBusy, submit } = useVersionedSave(found, {
    readAgain,
    save: async (ifMatch) => {
      await client.change('PATCH', path, { body: { name, description }, ifMatch });
      onSaved();
    },
    isSame: (before, now) => before.name === now.name && before.description === now.description,
  });
  const differences = theirs && [
    { name: texts.name, theirs: theirs.name, mine: name },
    { name: texts.description, theirs: theirs.description, mine: description },
  ];
  return (
    <>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {differences && <ConflictNotice differences={differences.filter((one) => one.theirs !== one.mine)} />}
        <TextField label={texts.name} value={name} onInput={setName} isRequired />
        <TextField label={texts.description} value={description} onInput={setDescription} />
        <button type="submit" disabled={isBusy}>
          {texts.save}
        </button>
        {!found.value.is_default && (
          <button type="button" class="danger" onClick={() => setIsDeleting(true)}>
            {texts.remove}
          </button>
        )}
        <Failure failure={failure} />
      </form>
      {isDeleting && <DeleteWorkspace path={path} found={found} onClose={() => setIsDeleting(false)} />}
    </>
  );
}

interface DeleteWorkspaceProps {
  path: string;
  found: Versioned<ShownWorkspace>;
  onClose: () => void;
}

function DeleteWorkspace({ path, found: { value, etag }, onClose }: DeleteWorkspaceProps) {
  const { texts, client } = useConsole();
  const [failure, setFailure] = useState<unknown>();
  const remove = async () => {
    try {
      await client.change('DELETE', path, { ifMatch: etag });
      location.hash = hashOf('workspaces');
    } catch (error) {
      setFailure(error);
    }
  };
  return (
    <Confirmation
      title={texts.deleteWorkspace}
      question={texts.deleteWorkspaceQuestion(value.name)}
      action={texts.remove}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <Failure failure={failure} />
    </Confirmation>
  );
}
