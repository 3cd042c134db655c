import { useState } from 'preact/hooks';
import type { ShownKey } from '../../answers.ts';
import { useConsole } from '../../environment.ts';
import { ConflictNotice } from '../../parts/conflict-notice.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SwitchField } from '../../parts/fields.tsx';
import { Failure, WhenLoaded } from '../../parts/notice.tsx';
import { useVersioned, useVersionedSave, type Versioned } from '../../versioned.ts';
import { keyBody, KeyFields, typedFromKey, type KeySettingsBody, type TypedKey } from './key-fields.tsx';

interface EditKeyProps {
  hash: string;
  onClose: () => void;
  onSaved: () => void;
}

/** Edits a key after reading it again, because the list may be outdated. */
export function EditKey({ hash, onClose, onSaved }: EditKeyProps) {
  const { texts } = useConsole();
  const path = `/keys/${hash}`;
  const { loaded, readAgain } = useVersioned<ShownKey>(path);
  return (
    <Dialog title={texts.editKey} onClose={onClose}>
      <WhenLoaded of={loaded}>
        {(found) => <KeyForm path={path} found={found} readAgain={readAgain} onSaved={onSaved} />}
      </WhenLoaded>
    </Dialog>
  );
}

interface KeyFormProps {
  path: string;
  found: Versioned<ShownKey>;
  readAgain: () => Promise<Versioned<ShownKey>>;
  onSaved: () => void;
}

function KeyForm({ path, found, readAgain, onSaved }: KeyFormProps) {
  const { texts, client } = useConsole();
  const [typed, setTyped] = useState(() => typedFromKey(found.value));
  const [disabled, setDisabled] = useState(found.value.disabled);
  const { base, theirs, failure, isBusy, submit } = useVersionedSave(found, {
    readAgain,
    save: async (ifMatch) => {
      const settings = keyBody(typed);
      if (!settings) return;
      const body = changedFields(settings, disabled, base);
      if (Object.keys(body).length > 0) await client.change('PATCH', path, { body, ifMatch });
      onSaved();
    },
    isSame: (before, now) => differencesOf(typedFromKey(before), before.disabled, now, texts).length === 0,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (keyBody(typed)) void submit();
      }}
    >
      {theirs && <ConflictNotice differences={differencesOf(typed, disabled, theirs, texts)} />}
      <KeyFields typed={typed} onChange={setTyped} />
      <SwitchField label={texts.disabled} isOn={disabled} onChange={setDisabled} />
      <Failure failure={failure} />
      <button type="submit" class="main" disabled={isBusy}>
        {texts.save}
      </button>
    </form>
  );
}

/** Returns the fields that differ from the version that was read last. */
function changedFields(settings: KeySettingsBody, disabled: boolean, base: ShownKey): Partial<KeySettingsBody> {
  const before = { ...keyBody(typedFromKey(base))!, disabled: base.disabled };
  const after = { ...settings, disabled };
  const names = Object.keys(after) as (keyof typeof after)[];
  return Object.fromEntries(
    names.filter((name) => String(after[name]) !== String(before[name])).map((name) => [name, after[name]]),
  );
}

type Names = Record<'name' | 'limitInRub' | 'limitReset' | 'expires' | 'disabled', string>;

function mark(isOn: boolean): string {
  return isOn ? '✓' : '';
}

function differencesOf(typed: TypedKey, disabled: boolean, theirs: ShownKey, texts: Names) {
  const other = typedFromKey(theirs);
  return [
    { name: texts.name, theirs: other.name, mine: typed.name },
    { name: texts.limitInRub, theirs: other.limit, mine: typed.limit },
    { name: texts.limitReset, theirs: other.limit_reset, mine: typed.limit_reset },
    { name: texts.expires, theirs: other.expires_at, mine: typed.expires_at },
    { name: texts.disabled, theirs: mark(theirs.disabled), mine: mark(disabled) },
  ].filter((one) => one.theirs !== one.mine);
}
