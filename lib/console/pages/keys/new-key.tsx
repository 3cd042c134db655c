import { useState } from 'preact/hooks';
import type { ShownWorkspace } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { changeNameAfter, newChangeName } from '../../change-name.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ChoiceField, TextField } from '../../parts/fields.tsx';
import { Failure } from '../../parts/notice.tsx';
import { emptyTypedKey, keyBody, KeyFields } from './key-fields.tsx';
import { ShownSecret } from './shown-secret.tsx';

interface NewKeyProps {
  workspaces: ShownWorkspace[];
  /** Slug of the initially chosen workspace; empty for the Default workspace. */
  workspace: string;
  onClose: () => void;
  onCreated: () => void;
}

/** Dialog that creates a key and shows its secret once. */
export function NewKeyDialog({ workspaces, workspace, onClose, onCreated }: NewKeyProps) {
  const { texts, client } = useConsole();
  const [typed, setTyped] = useState(emptyTypedKey);
  const [slug, setSlug] = useState(workspace === '' ? workspaces.find((one) => one.is_default)!.slug : workspace);
  const [member, setMember] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const [secret, setSecret] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  // A retry after a lost response has the same idempotency key, so it returns the same API key.
  const [once, setOnce] = useState(newChangeName);
  const create = async (event: Event) => {
    event.preventDefault();
    const settings = keyBody(typed);
    if (!settings) return;
    setIsBusy(true);
    try {
      const body = {
        ...settings,
        workspace_id: slug,
        ...(member.trim() === '' ? {} : { member_id: member.trim() }),
      };
      const { body: made } = await client.change<{ key: string }>('POST', '/keys', { body, once });
      setSecret(made.key);
      onCreated();
    } catch (error) {
      setFailure(error);
      setOnce(changeNameAfter(error, once));
    }
    setIsBusy(false);
  };
  return (
    <Dialog title={texts.newKey} onClose={onClose}>
      {secret === undefined ? (
        <form onSubmit={(event) => void create(event)}>
          <KeyFields typed={typed} onChange={setTyped} />
          <ChoiceField
            label={texts.workspace}
            value={slug}
            choices={workspaces.map(({ slug, name }) => [slug, name])}
            onChange={setSlug}
          />
          <TextField label={texts.member} value={member} onInput={setMember} hint={texts.memberHint} />
          <Failure failure={failure} />
          <button type="submit" class="main" disabled={isBusy}>
            {texts.create}
          </button>
        </form>
      ) : (
        <ShownSecret secret={secret} onClose={onClose} />
      )}
    </Dialog>
  );
}
